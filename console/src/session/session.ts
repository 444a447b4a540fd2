import { useSyncExternalStore } from 'react';

/**
 * The key of the user token in the browser's storage. All tabs share it, so that signing out in one tab signs out all
 * (docs/decisions/0012-the-console-keeps-its-token.md says why it is stored there).
 */
const KEPT_AS = 'castellan.user-token';

/** Why the last session ended, for the page that asks to sign in again. */
let farewell: Error | undefined;
const listeners = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) listener();
}

window.addEventListener('storage', ({ key }) => {
  if (key === KEPT_AS || key === null) tell();
});

/** Whether the browser lets this page store anything: settings and extensions can forbid it. */
export function canStore(): boolean {
  try {
    return localStorage.length + sessionStorage.length >= 0;
  } catch {
    return false;
  }
}

export function currentToken(): string | undefined {
  return localStorage.getItem(KEPT_AS) ?? undefined;
}

/** The id of the character that a user token is of. */
export function characterOf(token: string | undefined): number | undefined {
  try {
    const claims = (token?.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    return Number(JSON.parse(atob(claims)).sub);
  } catch {
    return undefined;
  }
}

export function beginSession(token: string): void {
  farewell = undefined;
  localStorage.setItem(KEPT_AS, token);
  tell();
}

export function endSession(reason?: Error): void {
  farewell = reason;
  localStorage.removeItem(KEPT_AS);
  tell();
}

export function lastFarewell(): Error | undefined {
  return farewell;
}

/** Calls the listener when the token changes in this tab or another. */
export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The present token; rerenders when it changes. */
export function useToken(): string | undefined {
  return useSyncExternalStore(subscribe, currentToken);
}
