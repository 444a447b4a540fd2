import { createCastellan } from '@castellan/sdk';
import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { SERVICE } from '../../session/addresses.ts';
import { castellan } from '../../session/api.ts';
import { send } from '../../session/unreachable.ts';
import { FieldsDialog, type Filled } from '../../shared/fields-dialog.tsx';
import { notify } from '../../shared/notices.tsx';
import { Section } from '../../shared/screen.tsx';
import { TOKEN } from '../../text/patterns.ts';
import { t } from '../../text/text.ts';
import { ShownOnce } from './shown-once.tsx';

/** Tokens of applications. Only a permanent token can make them, so that no session can leave one behind (D4). */
export function AppTokens() {
  return (
    <div className="grid">
      <Section title={t('An application that signs people in')}>
        <NewToken
          label={t('New dynamic token')}
          lead={t('It can start sign-ins, and do nothing else.')}
          make={(filled) => operator(filled).token.createDynamic(requestOf(filled))}
        />
      </Section>
      <Section title={t('An application that acts on its own')}>
        <NewToken
          label={t('New permanent token')}
          lead={t('It can do whatever the owner of your permanent token can.')}
          make={(filled) => operator(filled).token.createPermanent(requestOf(filled))}
        />
      </Section>
      <Section title={t('An end to a token')}>
        <Stack gap="sm" align="flex-start">
          <Text>{t('A token ends at once, on every machine, with all that were made by it.')}</Text>
          <FieldsDialog
            label={t('Delete token')}
            variant="default"
            fields={[
              {
                name: 'uuid',
                label: t('UUID of the token'),
                description: t('A JWT names it as jti.'),
                required: true,
              },
            ]}
            submit={async ({ uuid = '' }) => {
              await castellan.token.delete({ query: { uuid: uuid.trim() } });
              notify(t('The token is gone.'));
            }}
          />
        </Stack>
      </Section>
    </div>
  );
}

interface NewTokenProps {
  readonly label: string;
  readonly lead: string;
  readonly make: (filled: Filled) => Promise<{ readonly tkn: string }>;
}

function NewToken({ label, lead, make }: NewTokenProps) {
  const [made, setMade] = useState<string>();
  return (
    <Stack gap="sm" align="flex-start">
      <Text>{lead}</Text>
      <FieldsDialog
        label={label}
        fields={[
          { name: 'callback', label: t('Callback'), description: t('Where sign-ins end.'), required: true },
          { name: 'comments', label: t('Comments'), description: t('Which application this is.') },
          {
            name: 'permanent',
            label: t('Your permanent token'),
            description: t('npm run token prints one. It is used for this alone, and not kept.'),
            required: true,
            secret: true,
            pattern: TOKEN,
          },
        ]}
        submit={async (filled) => setMade((await make(filled)).tkn)}
      />
      {made !== undefined && <ShownOnce title={t('The new token')} text={made} label={t('the token')} />}
    </Stack>
  );
}

/** A client with the permanent token that the user entered, because the session's token may not make tokens. */
function operator({ permanent = '' }: Filled) {
  return createCastellan({ baseUrl: SERVICE, token: permanent.trim(), fetch: send });
}

function requestOf({ callback = '', comments = '' }: Filled) {
  return { body: { callback, comments: comments === '' ? null : comments } };
}
