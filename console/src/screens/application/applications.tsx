import { Stack, Tabs } from '@mantine/core';
import { Part, Screen } from '../../shared/screen.tsx';
import { t } from '../../text/text.ts';
import { AppTokens } from './app-tokens.tsx';
import { OidcClients } from './oidc-clients.tsx';

/** What other programs know people by. */
export function Applications() {
  const parts = [
    { value: 'oidc', label: t('OpenID Connect'), part: <OidcClients /> },
    { value: 'tokens', label: t('Application tokens'), part: <AppTokens /> },
  ];
  return (
    <Screen
      title={t('Applications')}
      lead={t('Programs in which people sign in by this service, or that act on their own.')}
    >
      <Tabs defaultValue="oidc" keepMounted={false}>
        <Tabs.List>
          {parts.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {parts.map(({ value, part }) => (
          <Tabs.Panel key={value} value={value} pt="md">
            <Part>
              <Stack>{part}</Stack>
            </Part>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Screen>
  );
}
