import type { NewOidcClient, OidcClient, OidcClientSecret } from '@castellan/sdk';
import { Badge, Code, Group, List, Stack, Text, Title } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { SERVICE } from '../../session/addresses.ts';
import { castellan, forget, queries } from '../../session/api.ts';
import { Confirm } from '../../shared/confirm.tsx';
import { Moment } from '../../shared/moment.tsx';
import { Name } from '../../shared/name.tsx';
import { t } from '../../text/text.ts';
import { ClientDialog } from './client-dialog.tsx';
import { SecretOf } from './shown-once.tsx';

/** The applications that let people sign in by OpenID Connect. */
export function OidcClients() {
  const { data: clients } = useSuspenseQuery(queries.oidc.listClients());
  const [made, setMade] = useState<NewOidcClient>();
  const [renewed, setRenewed] = useState<OidcClientSecret>();
  return (
    <>
      <Text>
        {t('An application needs two things of you: its client id, and where to read the rest:')}{' '}
        <Code>{`${SERVICE}/.well-known/openid-configuration`}</Code>
      </Text>
      <div>
        <ClientDialog
          label={t('New client')}
          save={async (body) => {
            setMade(await castellan.oidc.createClient({ body }));
            await forget('oidc');
          }}
        />
      </div>
      {made?.client_secret !== undefined && <SecretOf name={made.client_name} text={made.client_secret} />}
      {clients.length === 0 ? (
        <Text>{t('There is no client yet.')}</Text>
      ) : (
        <div className="grid">
          {clients.map((client) => (
            <Card
              key={client.client_id}
              client={client}
              secret={renewed?.client_id === client.client_id ? renewed.client_secret : undefined}
              onSecret={(secret) => {
                setMade(undefined);
                setRenewed(secret);
              }}
            />
          ))}
        </div>
      )}
    </>
  );
}

interface CardProps {
  readonly client: OidcClient;
  /** The secret that was renewed last, if it is this client's. */
  readonly secret: string | undefined;
  readonly onSecret: (secret: OidcClientSecret) => void;
}

function Card({ client, secret, onSecret }: CardProps) {
  const params = { client_id: client.client_id };
  return (
    <section className="card" aria-label={client.client_name}>
      <Stack gap="xs">
        <Group justify="space-between">
          <Title order={2} size="h5">
            <Name of={client.client_name} />
          </Title>
          <Group gap="xs">
            {client.public && (
              <Badge variant="default" tt="none">
                {t('Public')}
              </Badge>
            )}
            {client.first_party && (
              <Badge variant="default" tt="none">
                {t('Asks nobody')}
              </Badge>
            )}
          </Group>
        </Group>
        <Facts client={client} />
        {secret !== undefined && <SecretOf name={client.client_name} text={secret} />}
        <Group gap="xs">
          <ClientDialog
            label={t('Edit')}
            client={client}
            save={async (_, body) => {
              await castellan.oidc.updateClient({ params, body });
              await forget('oidc');
            }}
          />
          {!client.public && (
            <Confirm
              size="xs"
              label={t('Renew secret')}
              question={t('The former secret ends at once.')}
              act={async () => onSecret(await castellan.oidc.renewSecret({ params }))}
            />
          )}
          <Confirm
            size="xs"
            label={t('Delete client')}
            question={t('{name} can sign nobody in any more, and its sessions end.', {
              name: client.client_name,
            })}
            act={async () => {
              await castellan.oidc.deleteClient({ params });
              await forget('oidc');
            }}
          />
        </Group>
      </Stack>
    </section>
  );
}

function Facts({ client }: { readonly client: OidcClient }) {
  const { data: groups } = useSuspenseQuery(queries.group.list());
  const nameOf = (id: string) => groups.find(({ group_id }) => group_id === id)?.group_name ?? id;
  return (
    <dl className="facts">
      <dt>{t('Client id')}</dt>
      <dd>
        <Code>{client.client_id}</Code>
      </dd>
      <dt>{t('Comes back to')}</dt>
      <dd>
        <List size="sm" listStyleType="none">
          {client.redirect_uris.map((uri) => (
            <List.Item key={uri}>{uri}</List.Item>
          ))}
        </List>
      </dd>
      <dt>{t('Lets in')}</dt>
      <dd>
        {client.allowed_groups === null ? (
          t('Whoever may log in')
        ) : (
          <Name of={client.allowed_groups.map(nameOf).join(', ') || t('Nobody')} />
        )}
      </dd>
      <dt>{t('Last used')}</dt>
      <dd>{client.last_used_on === null ? t('Never') : <Moment at={client.last_used_on} />}</dd>
    </dl>
  );
}
