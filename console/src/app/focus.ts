import { useEffect } from 'react';

/**
 * Keeps the focus in the page when what had it goes, such as a button with the row that it acted on: else the next Tab
 * would begin at the top. It passes to the list around, or else to the heading.
 */
export function useFocusThatStays(): void {
  useEffect(() => {
    let focused: Element | null = null;
    let around: HTMLElement | null = null;
    const note = ({ target }: FocusEvent) => {
      focused = target as Element;
      around = focused.closest('.window');
    };
    const look = () => {
      if (focused === null || focused.isConnected || document.activeElement !== document.body) return;
      focused = null;
      // A dialog gives the focus back by itself.
      if (document.querySelector('[role=dialog]') !== null) return;
      const left = around?.isConnected ? around : document.querySelector<HTMLElement>('h1');
      left?.focus({ preventScroll: true });
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
