import type { PostWebhook, Webhook } from '@castellan/sdk';
import { Checkbox, MultiSelect, Textarea, TextInput } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queries } from '../../session/api.ts';
import { DialogButton, DialogForm } from '../../shared/dialog-form.tsx';
import { listed, t } from '../../text/text.ts';

interface WebhookDialogProps {
  readonly label: string;
  /** Absent for a new webhook. */
  readonly webhook?: Webhook;
  readonly save: (webhook: PostWebhook) => Promise<unknown>;
}

/** The form of a webhook: its URL, and the events to send. */
export function WebhookDialog(props: WebhookDialogProps) {
  const { label, webhook } = props;
  return (
    <DialogButton wide label={label} {...(webhook && { size: 'xs', variant: 'default' })}>
      {(close) => <Form {...props} close={close} />}
    </DialogButton>
  );
}

function Form({ label, webhook, save, close }: WebhookDialogProps & { readonly close: () => void }) {
  const { data: groups } = useSuspenseQuery(queries.group.list());
  const [only, setOnly] = useState<string[]>(webhook?.group_ids ?? []);
  const send = (data: FormData) => {
    const text = (name: string) => String(data.get(name) ?? '').trim();
    return save({
      url: text('url'),
      types: listed(text('types')),
      // An empty list removes the restriction to groups, so a new webhook needs none.
      ...((webhook !== undefined || only.length > 0) && { group_ids: only }),
      ordered: data.has('ordered'),
    });
  };
  return (
    <DialogForm action={label} close={close} submit={send}>
      <TextInput
        name="url"
        type="url"
        label={t('Address')}
        description={t('Where the events are posted to.')}
        required
        data-autofocus
        defaultValue={webhook?.url}
      />
      <Textarea
        name="types"
        label={t('Types of events')}
        description={t('Such as user.standing_changed, one a line; group.* for all about groups, * for all.')}
        required
        autosize
        minRows={2}
        defaultValue={webhook?.types.join('\n')}
      />
      <MultiSelect
        label={t('Of groups, only these')}
        description={t('None: all of them. Events about anything else come all the same.')}
        data={groups.map(({ group_id, group_name }) => ({ value: group_id, label: group_name }))}
        value={only}
        onChange={setOnly}
        searchable
        limit={50}
      />
      <Checkbox
        name="ordered"
        label={t('In order: each event waits until the one before has arrived')}
        defaultChecked={webhook?.ordered ?? false}
      />
    </DialogForm>
  );
}
