import { lazyRouteComponent } from '@tanstack/react-router';

/** What is not loaded yet, or was not when it was named. */
const waiting: (() => Promise<unknown> | undefined)[] = [];

/** A component whose code is loaded when it is first drawn, or before that, while nothing else is to be done. */
export const later: typeof lazyRouteComponent = (load, name) => {
  const component = lazyRouteComponent(load, name);
  waiting.push(() => (component as { readonly preload?: () => Promise<unknown> }).preload?.());
  return component;
};

/** Loads the code of everything that was not drawn yet, one after another, each in a pause of the browser. */
export async function loadTheRest(): Promise<void> {
  if (isSparing()) return;
  // What is loaded may name more of its own: the list grows meanwhile.
  for (const load of waiting) {
    await pause();
    await load();
  }
}

/** Whether the browser was told to save data. */
function isSparing(): boolean {
  return 'connection' in navigator && (navigator.connection as { saveData?: boolean }).saveData === true;
}

/** Safari has no idle callbacks: there, a moment is a pause. */
function pause(): Promise<unknown> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(resolve);
    else setTimeout(resolve, 100);
  });
}
