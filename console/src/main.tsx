import './app/styles.ts';
import { CastellanError } from '@castellan/sdk';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { App, SignInPage } from './app/app.tsx';
import { router } from './app/router.tsx';
import { HOME } from './session/addresses.ts';
import { queries, queryClient } from './session/api.ts';
import { canStore, currentToken } from './session/session.ts';
import { finishSignIn } from './session/sign-in.ts';
import { notify } from './shared/notices.tsx';
import { t } from './text/text.ts';

const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
// The library that locks the page's scrolling reads the nonce from this variable.
Object.assign(globalThis, { __webpack_nonce__: nonce });

const container = document.getElementById('console');
if (container !== null) {
  if (canStore()) start(container);
  else refuse(container);
}

function start(container: HTMLElement): void {
  // Comes first, so that the token in the address is removed before anything is rendered.
  const refusal = finishSignIn();
  // Starts loading what the first render needs, so that it is on its way while React begins.
  if (currentToken() === undefined) void SignInPage.preload?.();
  else {
    if (refusal !== undefined) notify(refusal, 'until dismissed');
    void queryClient.prefetchQuery(queries.token.current());
    void router.load();
  }
  const root = createRoot(container, {
    // Errors of the API are shown in their part of the screen; any other error is a fault of the console.
    onCaughtError: (error) => {
      if (!(error instanceof CastellanError)) reportError(error);
    },
  });
  // A transition renders in time slices, so the page stays responsive.
  startTransition(() =>
    root.render(
      <StrictMode>
        <App nonce={nonce} refusal={refusal} />
      </StrictMode>,
    ),
  );
}

/** Says what is missing where nobody can sign in. */
function refuse(container: HTMLElement): void {
  // The address may hold the token of a sign-in that began before.
  history.replaceState(null, '', `${HOME}/`);
  const text = document.createElement('p');
  text.setAttribute('role', 'alert');
  text.textContent = t(
    'This browser does not let the page store anything, so nobody can sign in. Allow site data for this address, and load the page again.',
  );
  container.append(text);
}
