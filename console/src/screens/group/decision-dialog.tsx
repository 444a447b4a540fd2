import type { Application } from '@castellan/sdk';
import { TextInput } from '@mantine/core';
import { Dialog } from '../../shared/dialog.tsx';
import { DialogForm } from '../../shared/dialog-form.tsx';
import { t } from '../../text/text.ts';
import type { Decision } from './decisions.ts';

interface DecisionDialogProps {
  readonly application: Application;
  /** The decision that the dialog is open for. */
  readonly asked: Decision['decision'] | undefined;
  readonly close: () => void;
  readonly decide: (decision: Decision) => Promise<unknown>;
}

/** Characters that the service takes of each. */
const LONGEST = 1000;

/** Asks for the reason for the applicant and the note for moderators. Enter decides. */
export function DecisionDialog({ application, asked, close, decide }: DecisionDialogProps) {
  const named = { name: application.applicant.character_name, group: application.group.group_name };
  const isApproval = asked === 'approved';
  return (
    // The card says where the focus goes: to the next application once this one is decided.
    <Dialog
      opened={asked !== undefined}
      onClose={close}
      title={isApproval ? t('Approve {name} to {group}', named) : t('Reject {name} to {group}', named)}
      returnFocus={false}
      transitionProps={{ duration: 0 }}
    >
      {asked !== undefined && (
        <DialogForm
          action={isApproval ? t('Approve') : t('Reject')}
          close={close}
          submit={(filled) => {
            const text = (name: string) => String(filled.get(name) ?? '').trim();
            return decide({ decision: asked, reason: text('reason'), note: text('note') });
          }}
        >
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
        </DialogForm>
      )}
    </Dialog>
  );
}
