import './app/styles.ts';
import { CastellanError } from '@castellan/sdk';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { App, SignInPage } from './app/app.tsx';
import { queries, queryClient } from './session/api.ts';
import { currentToken } from './session/session.ts';
import { finishSignIn } from './session/sign-in.ts';

const place = document.getElementById('console');
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
// Where those who lock the page's scrolling look for it.
Object.assign(globalThis, { __webpack_nonce__: nonce });
// First of all: a token in the address must not be there when anything is drawn.
const refusal = finishSignIn();
// What is needed first is on its way while the rest begins.
if (currentToken() === undefined) void SignInPage.preload?.();
else void queryClient.prefetchQuery(queries.token.current());
if (place !== null) {
  const root = createRoot(place, {
    // What a part of a screen failed with is shown there; anything else is a fault of the console.
    onCaughtError: (error) => {
      if (!(error instanceof CastellanError)) reportError(error);
    },
  });
  // As a transition it is drawn in slices, between which the page answers.
  startTransition(() =>
    root.render(
      <StrictMode>
        <App nonce={nonce} refusal={refusal} />
      </StrictMode>,
    ),
  );
}
