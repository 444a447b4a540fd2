import type { ModalProps } from '@mantine/core';
import { Suspense, useEffect, useState } from 'react';
import { later } from './later.ts';

const Modal = later(() => import('./modal.ts'), 'Modal');

/** A dialog that costs nothing until it is first opened: a list may have one in each of its rows. */
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

/** Closed at first: it is at the step to open that a dialog learns where the focus goes back to. */
function Opening({ opened, ...props }: ModalProps) {
  const [isThere, setThere] = useState(false);
  useEffect(() => setThere(true), []);
  return <Modal {...props} opened={opened && isThere} />;
}
