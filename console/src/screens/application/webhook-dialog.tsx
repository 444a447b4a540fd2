import type { PostWebhook, Webhook } from '@castellan/sdk';
import { Button, Checkbox, Group, Modal, MultiSelect, Stack, Textarea, TextInput } from '@mantine/core';
import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { queries } from '../../session/api.ts';
import { Problem } from '../../shared/problem.tsx';
import { Part } from '../../shared/screen.tsx';
import { t } from '../../text/text.ts';

interface WebhookDialogProps {
  readonly label: string;
  /** Absent for a new webhook. */
  readonly webhook?: Webhook;
  readonly save: (webhook: PostWebhook) => Promise<unknown>;
}

/** The form of a webhook: its URL, and the events to send. */
export function WebhookDialog({ label, webhook, save }: WebhookDialogProps) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button {...(webhook && { size: 'xs', variant: 'default' })} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Modal opened={open} onClose={close} title={label} size="lg">
        <Part>
          <Form label={label} save={save} close={close} {...(webhook && { webhook })} />
        </Part>
      </Modal>
    </>
  );
}

function Form({ label, webhook, save, close }: WebhookDialogProps & { readonly close: () => void }) {
  const { data: groups } = useSuspenseQuery(queries.group.list());
  const [only, setOnly] = useState<string[]>(webhook?.group_ids ?? []);
  const saving = useMutation({ mutationFn: save, onSuccess: close });
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const text = (name: string) => String(data.get(name) ?? '').trim();
    saving.mutate({
      url: text('url'),
      types: text('types').split(/[\s,]+/),
      // An empty list removes the restriction to groups, so a new webhook needs none.
      ...((webhook !== undefined || only.length > 0) && { group_ids: only }),
      ordered: data.has('ordered'),
    });
  };
  return (
    <form onSubmit={send}>
      <Stack>
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
          description={t(
            'Such as user.standing_changed, one a line; group.* for all about groups, * for all.',
          )}
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
        <Problem error={saving.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {t('Cancel')}
          </Button>
          <Button type="submit" loading={saving.isPending}>
            {label}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
