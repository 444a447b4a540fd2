import { Stack, Tabs } from '@mantine/core';
import { Part, Screen } from '../../shared/screen.tsx';
import { t } from '../../text/text.ts';
import { Alliances, Coalitions, Corporations } from './lists.tsx';

/** Who is registered here: alliances, corporations, and the coalitions that they make. */
export function Registry() {
  const kinds = [
    { value: 'alliances', label: t('Alliances'), list: <Alliances /> },
    { value: 'corporations', label: t('Corporations'), list: <Corporations /> },
    { value: 'coalitions', label: t('Coalitions'), list: <Coalitions /> },
  ];
  return (
    <Screen
      title={t('Registry')}
      lead={t('Alliances, corporations and coalitions: who may log in by them, and what they require.')}
    >
      <Tabs defaultValue="alliances" keepMounted={false}>
        <Tabs.List>
          {kinds.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {kinds.map(({ value, list }) => (
          <Tabs.Panel key={value} value={value} pt="md">
            <Part>
              <Stack>{list}</Stack>
            </Part>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Screen>
  );
}
