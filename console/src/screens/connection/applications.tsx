import { Screen } from '../../shared/screen.tsx';
import { Parts } from '../../shared/tabs.tsx';
import { t } from '../../text/text.ts';
import { AppTokens } from './app-tokens.tsx';
import { OidcClients } from './oidc-clients.tsx';
import { Webhooks } from './webhooks.tsx';

/** The connections of other programs: OpenID Connect, webhooks and tokens. */
export function Applications() {
  const parts = [
    { value: 'oidc', label: t('OpenID Connect'), part: <OidcClients /> },
    { value: 'webhooks', label: t('Webhooks'), part: <Webhooks /> },
    { value: 'tokens', label: t('Application tokens'), part: <AppTokens /> },
  ];
  return (
    <Screen
      title={t('Applications')}
      lead={t(
        'Programs in which people sign in by this service, that are told what happens, or that act on their own.',
      )}
    >
      <Parts of={parts} />
    </Screen>
  );
}
