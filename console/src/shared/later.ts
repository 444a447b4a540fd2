import { lazyRouteComponent } from '@tanstack/react-router';

/** The preload functions of all lazy components. */
const waiting: (() => Promise<unknown> | undefined)[] = [];

/** A component whose code is loaded when it is first rendered, or earlier when the browser is idle. */
export const later: typeof lazyRouteComponent = (load, name) => {
  const component = lazyRouteComponent(load, name);
  waiting.push(() => (component as { readonly preload?: () => Promise<unknown> }).preload?.());
  return component;
};

/** Loads the code of all lazy components, one after another, each when the browser is idle. */
export async function loadTheRest(): Promise<void> {
  if (savesData()) return;
  // The list grows during the loop, because loaded modules may declare lazy components of their own.
  for (const load of waiting) {
    await idle();
    await load();
  }
}

/** Whether the user asked the browser to save data. */
function savesData(): boolean {
  return 'connection' in navigator && (navigator.connection as { saveData?: boolean }).saveData === true;
}

/** Resolves when the browser is idle; in Safari, which has no idle callbacks, after a moment. */
function idle(): Promise<unknown> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(resolve);
    else setTimeout(resolve, 100);
  });
}
