import type { OidcClient, PostOidcClient } from '@castellan/sdk';
import { Checkbox, Textarea, TextInput } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queries } from '../../session/api.ts';
import { ChoicePicker } from '../../shared/choice-picker.tsx';
import { DialogButton, DialogForm } from '../../shared/dialog-form.tsx';
import { changesOf } from '../../shared/with-theirs.ts';
import { t } from '../../text/text.ts';

interface ClientDialogProps {
  readonly label: string;
  /** Absent for a new client. */
  readonly client?: OidcClient;
  /** `changed` is what was changed here, on top of what others saved since the dialog was opened. */
  readonly save: (client: PostOidcClient, changed: Partial<Parts>) => Promise<unknown>;
}

/** The form of an OpenID Connect client: its name, redirect URIs and who may sign in. */
export function ClientDialog(props: ClientDialogProps) {
  const { label, client } = props;
  return (
    <DialogButton wide label={label} {...(client && { size: 'xs', variant: 'default' })}>
      {(close) => <Form {...props} close={close} />}
    </DialogButton>
  );
}

const lines = (value: FormDataEntryValue | null) =>
  String(value ?? '')
    .split(/\s+/)
    .filter((line) => line !== '');

type Parts = ReturnType<typeof partsOf>;

/** As the service takes them: an empty value removes what was there, which null would keep. */
function partsOf(client: OidcClient | undefined) {
  return {
    client_name: client?.client_name ?? '',
    redirect_uris: client?.redirect_uris ?? [],
    post_logout_redirect_uris: client?.post_logout_redirect_uris ?? [],
    backchannel_logout_uri: client?.backchannel_logout_uri ?? '',
    allowed_groups: client?.allowed_groups ?? [],
    first_party: client?.first_party ?? false,
  };
}

function Form({ label, client, save, close }: ClientDialogProps & { readonly close: () => void }) {
  const { data: groups } = useSuspenseQuery(queries.group.list());
  const [opened] = useState(client);
  const [allowed, setAllowed] = useState<string[] | null>(client?.allowed_groups ?? null);
  // An empty list would admit everybody, unless it is what was there: all of its groups were deleted.
  const isOrphaned = client?.allowed_groups?.length === 0;
  const incomplete = allowed?.length === 0 && !isOrphaned;
  const send = (data: FormData) => {
    const filled = {
      client_name: String(data.get('client_name') ?? ''),
      redirect_uris: lines(data.get('redirect_uris')),
      post_logout_redirect_uris: lines(data.get('post_logout_redirect_uris')),
      backchannel_logout_uri: String(data.get('backchannel_logout_uri') ?? ''),
      allowed_groups: allowed ?? [],
      first_party: data.has('first_party'),
    };
    const changed = changesOf(partsOf(client), filled, partsOf(opened));
    return save({ ...filled, public: data.has('public') }, changed);
  };
  return (
    <DialogForm action={label} close={close} submit={send} incomplete={incomplete}>
      <TextInput
        name="client_name"
        label={t('Name')}
        required
        data-autofocus
        defaultValue={client?.client_name}
      />
      <Textarea
        name="redirect_uris"
        label={t('Redirect URIs')}
        description={t('Where browsers come back to, one a line, letter by letter.')}
        required
        autosize
        defaultValue={client?.redirect_uris.join('\n')}
      />
      <Textarea
        name="post_logout_redirect_uris"
        label={t('After a logout')}
        description={t('Where browsers may go then, one a line.')}
        autosize
        defaultValue={client?.post_logout_redirect_uris.join('\n')}
      />
      <TextInput
        name="backchannel_logout_uri"
        label={t('Told of ended sessions')}
        description={t('The address for back-channel logout, if the application has one.')}
        defaultValue={client?.backchannel_logout_uri ?? ''}
      />
      <Checkbox
        label={t('Only members of some groups')}
        // The service takes that for no change, so that a deletion of groups lets nobody in.
        disabled={isOrphaned}
        description={
          isOrphaned &&
          t(
            'The groups that it let in were deleted, so it lets in nobody. Save others before it can let in everybody.',
          )
        }
        checked={allowed !== null}
        onChange={(event) => setAllowed(event.currentTarget.checked ? [] : null)}
      />
      {allowed !== null && (
        <ChoicePicker
          label={t('Allowed groups')}
          choices={groups.map(({ group_id, group_name }) => ({ value: group_id, label: group_name }))}
          value={allowed}
          onChange={setAllowed}
          read={String}
        />
      )}
      <Checkbox
        name="first_party"
        label={t('One of ours: people are not asked before it learns who they are')}
        defaultChecked={client?.first_party ?? false}
      />
      {client === undefined && (
        <Checkbox name="public" label={t('Public: it runs where no secret is safe, so it gets none')} />
      )}
    </DialogForm>
  );
}
