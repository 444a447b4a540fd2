import { Button, Group, type ModalProps } from '@mantine/core';
import { createContext, type ReactNode, Suspense, useContext, useEffect, useState } from 'react';
import { t } from '../text/text.ts';
import { laterPart } from './later.ts';
import { Part } from './screen.tsx';

const Modal = laterPart(() => import('./modal.ts'), 'Modal');
/** Tells the dialog around whether it has to stay open. */
const Staying = createContext<(stays: boolean) => void>(() => undefined);

/** A modal dialog that is rendered only after it was first opened, because lists have one in each row. */
export function Dialog({ onClose, ...props }: ModalProps) {
  const [wanted, setWanted] = useState(props.opened);
  const [stays, setStays] = useState(false);
  if (props.opened && !wanted) setWanted(true);
  if (!wanted) return null;
  return (
    <Part>
      <Suspense fallback={null}>
        <Staying value={setStays}>
          <Opening
            {...props}
            onClose={() => !stays && onClose()}
            closeButtonProps={{ 'aria-label': t('Close'), disabled: stays }}
          />
        </Staying>
      </Suspense>
    </Part>
  );
}

/** The open dialogs, in the order in which they were opened. */
const open: object[] = [];

/** Renders closed first, because Mantine notes the element to return the focus to when `opened` changes. */
function Opening({ opened, onClose, ...props }: ModalProps) {
  const [isThere, setThere] = useState(false);
  useEffect(() => setThere(true), []);
  const [self] = useState({});
  useEffect(() => {
    if (!opened) return;
    open.push(self);
    return () => {
      open.splice(open.indexOf(self), 1);
    };
  }, [opened, self]);
  // Every open dialog hears Escape: the one on top alone closes.
  const close = () => {
    if (open.at(-1) === self) onClose();
  };
  return <Modal {...props} onClose={close} opened={opened && isThere} />;
}

interface DialogFootProps {
  readonly close: () => void;
  /** The text of the button that closes, by default Cancel. */
  readonly cancel?: string;
  /** Whether what the dialog is for is being done. */
  readonly isPending: boolean;
  /** The button that does it. */
  readonly children: ReactNode;
}

/** The buttons of a dialog. It stays open while a change is sent: closing it would look like taking the change back. */
export function DialogFoot({ close, cancel = t('Cancel'), isPending, children }: DialogFootProps) {
  const stay = useContext(Staying);
  useEffect(() => {
    stay(isPending);
    return () => stay(false);
  }, [stay, isPending]);
  return (
    <Group justify="flex-end">
      <Button variant="default" disabled={isPending} onClick={close}>
        {cancel}
      </Button>
      {children}
    </Group>
  );
}
