import type { Application } from '@castellan/sdk';
import { Button, Group, Stack, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { Dialog } from '../../shared/dialog.tsx';
import { t } from '../../text/text.ts';
import type { Decision } from './decisions.ts';

/** A decision for which the dialog is open. */
export interface Asked {
  readonly application: Application;
  readonly decision: Decision['decision'];
}

interface DecisionDialogProps {
  readonly asked: Asked | undefined;
  readonly close: () => void;
  readonly decide: (decision: Decision) => void;
}

const LONGEST = 4000;

/** Asks for the reason for the applicant and the note for moderators. Enter decides. */
export function DecisionDialog({ asked, close, decide }: DecisionDialogProps) {
  return (
    // The focus does not return to the decided application, which is gone, but goes to the next one.
    <Dialog
      opened={asked !== undefined}
      onClose={close}
      title={asked === undefined ? '' : titleOf(asked)}
      returnFocus={false}
      transitionProps={{ duration: 0 }}
    >
      {asked !== undefined && <Words asked={asked} close={close} decide={decide} />}
    </Dialog>
  );
}

function titleOf({ application: { applicant, group }, decision }: Asked): string {
  const named = { name: applicant.character_name, group: group.group_name };
  return decision === 'approved'
    ? t('Approve {name} to {group}', named)
    : t('Reject {name} to {group}', named);
}

function Words({ asked, close, decide }: Omit<DecisionDialogProps, 'asked'> & { readonly asked: Asked }) {
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const text = (name: string) => String(data.get(name) ?? '').trim();
    decide({ ...asked, reason: text('reason'), note: text('note') });
  };
  return (
    <form onSubmit={send}>
      <Stack>
        <TextInput
          name="reason"
          label={t('Reason')}
          description={t('The applicant is told.')}
          maxLength={LONGEST}
          autoComplete="off"
          data-autofocus
        />
        <TextInput
          name="note"
          label={t('Note')}
          description={t('For moderators alone.')}
          maxLength={LONGEST}
          autoComplete="off"
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {t('Cancel')}
          </Button>
          <Button type="submit">{asked.decision === 'approved' ? t('Approve') : t('Reject')}</Button>
        </Group>
      </Stack>
    </form>
  );
}
