import { Alert, Button, Group, List, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useLevel } from '../../session/me.ts';
import { ADMINISTRATOR } from '../../shared/level-thresholds.ts';
import { LinkAnchor } from '../../shared/links.tsx';
import { t } from '../../text/text.ts';

/** First steps for a new administrator, the same as in the README. */
export function Tour() {
  const isAdministrator = useLevel(ADMINISTRATOR);
  const [ended, setEnded] = useLocalStorage({ key: 'castellan.tour-ended', defaultValue: false });
  if (!isAdministrator || ended) return null;
  return (
    <Alert title={t('Welcome: three steps, and your alliance may sign in')} variant="default">
      <List type="ordered" spacing={4}>
        <List.Item>
          <LinkAnchor to="/registry">{t('Registry')}</LinkAnchor>
          {t(': register your alliance by its id, make a coalition, and add the alliance to it.')}
        </List.Item>
        <List.Item>
          <LinkAnchor to="/users">{t('Users')}</LinkAnchor>
          {t(': find a pilot, and set the clearance level.')}
        </List.Item>
        <List.Item>
          <LinkAnchor to="/groups">{t('Groups')}</LinkAnchor>
          {t(': make a group, and paste the names of its members.')}
        </List.Item>
      </List>
      <Group mt="sm" justify="space-between">
        <Text size="sm" c="dimmed">
          {t('Ctrl K, or /, finds every screen and everybody.')}
        </Text>
        <Button size="xs" variant="default" onClick={() => setEnded(true)}>
          {t('End the tour')}
        </Button>
      </Group>
    </Alert>
  );
}
