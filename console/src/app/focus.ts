import { useEffect } from 'react';

/** Where the focus is, or was. */
interface Place {
  readonly element: HTMLElement;
  readonly dialog: HTMLElement | null;
  readonly list: HTMLElement | null;
  /** Within a dialog: where the focus was when it was opened. */
  readonly before: Place | undefined;
}

/**
 * Keeps the focus in the page when what had it goes, such as a button with the row that it acted on, or a dialog: else
 * the next Tab would begin at the top. It passes to what opened the dialog, to the list around, or else to the heading.
 *
 * Dialogs give it back by themselves, but only to what has it when they open. A button that is busy has lost it.
 */
export function useFocusThatStays(): void {
  useEffect(() => {
    let last: Place | undefined;
    const note = ({ target }: FocusEvent) => {
      const element = target as HTMLElement;
      const dialog = element.closest<HTMLElement>('[role=dialog]');
      let same = last;
      while (same !== undefined && same.dialog !== dialog) same = same.before;
      const before = same === undefined ? last : same.before;
      last = { element, dialog, list: element.closest<HTMLElement>('.window'), before };
    };
    const isLost = () => document.activeElement === document.body;
    const look = () => {
      if (last === undefined || last.element.isConnected || !isLost()) return;
      const open = [...document.querySelectorAll<HTMLElement>('[role=dialog]')].at(-1);
      for (let place: Place | undefined = last; place !== undefined; place = place.before) {
        const { element, dialog, list } = place;
        // Never to what lies behind a dialog.
        for (const each of dialog === null && open !== undefined ? [open] : [element, list, dialog]) {
          each?.focus({ preventScroll: true });
          if (!isLost()) return;
        }
      }
      last = undefined;
      document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
    };
    const observer = new MutationObserver(look);
    document.addEventListener('focusin', note);
    observer.observe(document.body, { subtree: true, childList: true });
    return () => {
      document.removeEventListener('focusin', note);
      observer.disconnect();
    };
  }, []);
}
