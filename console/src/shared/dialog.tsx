import type { ModalProps } from '@mantine/core';
import { Suspense, useEffect, useState } from 'react';
import { later } from './later.ts';

const Modal = later(() => import('./modal.ts'), 'Modal');

/** A modal dialog that is rendered only after it was first opened, because lists have one in each row. */
export function Dialog(props: ModalProps) {
  const [wanted, setWanted] = useState(props.opened);
  if (props.opened && !wanted) setWanted(true);
  if (!wanted) return null;
  return (
    <Suspense fallback={null}>
      <Opening {...props} />
    </Suspense>
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
