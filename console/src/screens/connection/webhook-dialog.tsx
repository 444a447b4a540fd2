import type { PostWebhook, Webhook } from '@castellan/sdk';
import { Checkbox, Textarea, TextInput } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queries } from '../../session/api.ts';
import { ChoicePicker } from '../../shared/choice-picker.tsx';
import { DialogButton, DialogForm } from '../../shared/dialog-form.tsx';
import { changesOf } from '../../shared/with-theirs.ts';
import { listed, t } from '../../text/text.ts';

interface WebhookDialogProps {
  readonly label: string;
  /** Absent for a new webhook. */
  readonly webhook?: Webhook;
  /** `changed` is what was changed here, on top of what others saved since the dialog was opened. */
  readonly save: (webhook: PostWebhook, changed: Partial<Parts>) => Promise<unknown>;
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

type Parts = ReturnType<typeof partsOf>;

function partsOf(webhook: Webhook | undefined) {
  return {
    url: webhook?.url ?? '',
    types: webhook?.types ?? [],
    // An empty list removes the restriction to groups.
    group_ids: webhook?.group_ids ?? [],
    ordered: webhook?.ordered ?? false,
  };
}

function Form({ label, webhook, save, close }: WebhookDialogProps & { readonly close: () => void }) {
  const { data: groups } = useSuspenseQuery(queries.group.list());
  const [opened] = useState(webhook);
  const [only, setOnly] = useState<string[] | null>(webhook?.group_ids ?? null);
  const send = (data: FormData) => {
    const text = (name: string) => String(data.get(name) ?? '').trim();
    const filled = {
      url: text('url'),
      types: listed(text('types')),
      group_ids: only ?? [],
      ordered: data.has('ordered'),
    };
    const { group_ids, ...fresh } = filled;
    return save(
      // A new webhook without a restriction has none to remove.
      { ...fresh, ...(only !== null && { group_ids }) },
      changesOf(partsOf(webhook), filled, partsOf(opened)),
    );
  };
  return (
    <DialogForm action={label} close={close} submit={send} incomplete={only?.length === 0}>
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
      <Checkbox
        label={t('Of groups, only some')}
        description={t('Events about anything else come all the same.')}
        checked={only !== null}
        onChange={(event) => setOnly(event.currentTarget.checked ? [] : null)}
      />
      {only !== null && (
        <ChoicePicker
          label={t('Of groups, only these')}
          choices={groups.map(({ group_id, group_name }) => ({ value: group_id, label: group_name }))}
          value={only}
          onChange={setOnly}
          read={String}
        />
      )}
      <Checkbox
        name="ordered"
        label={t('In order: each event waits until the one before has arrived')}
        defaultChecked={webhook?.ordered ?? false}
      />
    </DialogForm>
  );
}
