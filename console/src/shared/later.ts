import { lazyRouteComponent } from '@tanstack/react-router';
import { HOME } from '../session/addresses.ts';
import { send } from '../session/unreachable.ts';
import { t } from '../text/text.ts';

/** The preload functions of all lazy components. */
const waiting: (() => Promise<unknown> | undefined)[] = [];
/** Of the components whose code could not be loaded, to load it again. */
const failed = new Set<() => void>();

/** Makes lazy components; `fault` is the error that they fail with. At that of the browser the page is reloaded. */
const failingWith =
  (fault: (cause: unknown) => unknown): typeof lazyRouteComponent =>
  (load, name) => {
    const component = lazyRouteComponent(
      () =>
        load().catch(async (cause: unknown) => {
          failed.add(again);
          throw await fault(cause);
        }),
      name,
    );
    const again = () => void preload(component);
    waiting.push(() => preload(component));
    return component;
  };

/**
 * A screen whose code is loaded when it is first rendered, or earlier when the browser is idle. If that fails, the page
 * is reloaded, because there may be a newer one; unless that could not be loaded either.
 */
export const later = failingWith(async (cause) => ((await isServed()) ? cause : notLoaded(cause)));

/** Likewise for a part of a screen. A reload would take what was typed beside it, so it fails with an error instead. */
export const laterPart = failingWith(notLoaded);

function notLoaded(cause: unknown): Error {
  return new Error(
    t(
      'This part of the page could not be loaded. If it never can, reload the page: there may be a newer one.',
    ),
    { cause },
  );
}

/** Whether the page could be loaded anew at present. */
async function isServed(): Promise<boolean> {
  return send(`${HOME}/`, { method: 'HEAD' }).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Loads the code of a lazy component, unless that is done. */
function preload(component: object): Promise<unknown> | undefined {
  return (component as { readonly preload?: () => Promise<unknown> }).preload?.();
}

/** Begins anew to load the parts that could not be loaded. */
export function loadAgain(): void {
  for (const again of failed) again();
  failed.clear();
}

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
