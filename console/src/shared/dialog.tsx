import { Button, Group, type ModalProps } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import {
  createContext,
  type ReactNode,
  Suspense,
  useContext,
  useEffect,
  useLayoutEffect,
  useState,
} from 'react';
import { t } from '../text/text.ts';
import { laterPart } from './later.ts';
import { Part } from './screen.tsx';

const Modal = laterPart(() => import('./modal.ts'), 'Modal');
/** Tells the dialog around that it can be cancelled, and whether it has to stay open. */
const Staying = createContext<(stays: boolean | undefined) => void>(() => undefined);

/**
 * A modal dialog that is rendered only after it was first opened, because lists have one in each row. Where something
 * was typed that its buttons are for, it asks before it closes by Escape or by a click beside it, or with the screen.
 */
export function Dialog({ onClose, children, ...props }: ModalProps) {
  const [wanted, setWanted] = useState(props.opened);
  const [stays, setStays] = useState<boolean>();
  const [typed, setTyped] = useState(false);
  const [asks, setAsks] = useState(false);
  if (props.opened && !wanted) setWanted(true);
  if (!props.opened && (typed || asks)) {
    setTyped(false);
    setAsks(false);
  }
  if (!wanted) return null;
  const leave = () => {
    if (stays === true) return;
    if (typed && stays !== undefined) setAsks(true);
    else onClose();
  };
  return (
    <Part>
      <Suspense fallback={null}>
        <Staying value={setStays}>
          <Opening
            {...props}
            onInput={() => setTyped(true)}
            onClick={({ target }) => {
              // What is chosen from a list is no input to the browser.
              if (target instanceof Element && target.closest('[role=option]') !== null) setTyped(true);
            }}
            onClose={leave}
            closeButtonProps={{ 'aria-label': t('Close'), disabled: stays === true }}
          >
            {children}
            {/* A new one for each question of the other kind, above which it then opens. */}
            {typed && stays === false && <Unsaved key={String(asks)} />}
            <Dialog opened={asks} onClose={() => setAsks(false)} title={t('Throw away what you typed?')}>
              <DialogFoot cancel={t('Keep it')} close={() => setAsks(false)} isPending={false}>
                <Button color="red.9" onClick={onClose}>
                  {t('Throw it away')}
                </Button>
              </DialogFoot>
            </Dialog>
          </Opening>
        </Staying>
      </Suspense>
    </Part>
  );
}

/** The open dialogs, in the order in which they were opened. */
const open: object[] = [];
/** The one on top when a key was pressed last, or the mouse: whatever that closes or opens, it is for this one alone. */
let addressed: object | undefined;
// Registered before any dialog's own listener, so it is called before them.
for (const type of ['keydown', 'click']) {
  window.addEventListener(
    type,
    () => {
      addressed = open.at(-1);
    },
    { capture: true },
  );
}

/** Renders closed first, because Mantine notes the element to return the focus to when `opened` changes. */
function Opening({ opened, onClose, children, ...props }: ModalProps) {
  const [isThere, setThere] = useState(false);
  useEffect(() => setThere(true), []);
  const [self] = useState({});
  useLayoutEffect(() => {
    if (!opened) return;
    open.push(self);
    return () => void open.splice(open.indexOf(self), 1);
  }, [opened, self]);
  // Every open dialog hears Escape.
  const close = () => {
    if (addressed === self) onClose();
  };
  const isOpen = opened && isThere;
  return (
    <Modal {...props} onClose={close} opened={isOpen}>
      {/* While it fades, a second click would do the same once more. */}
      <div inert={!isOpen}>{children}</div>
    </Modal>
  );
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
    return () => stay(undefined);
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

interface Place {
  readonly pathname: string;
}
interface Step {
  readonly current: Place;
  readonly next: Place;
}

/** Tabs of a screen share its path, and lose nothing. */
const leadsElsewhere = ({ current, next }: Step): boolean => current.pathname !== next.pathname;

/** Asks before the screen is left, or the page loaded again, with something chosen or typed that is not saved. */
export function Unsaved() {
  const leaving = useBlocker({ shouldBlockFn: leadsElsewhere, withResolver: true });
  const stay = () => leaving.reset?.();
  return (
    <Dialog opened={leaving.status === 'blocked'} onClose={stay} title={t('Leave without saving?')}>
      <DialogFoot cancel={t('Stay')} close={stay} isPending={false}>
        <Button color="red.9" onClick={() => leaving.proceed?.()}>
          {t('Leave')}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
