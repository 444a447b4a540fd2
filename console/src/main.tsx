import '@mantine/core/styles.css';
import './app/console.css';
import { CastellanError } from '@castellan/sdk';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { finishSignIn } from './session/sign-in.ts';

const place = document.getElementById('console');
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
// Where those who lock the page's scrolling look for it.
Object.assign(globalThis, { __webpack_nonce__: nonce });
// First of all: a token in the address must not be there when anything is drawn.
const refusal = finishSignIn();
if (place !== null) {
  createRoot(place, {
    // What a part of a screen failed with is shown there; anything else is a fault of the console.
    onCaughtError: (error) => {
      if (!(error instanceof CastellanError)) reportError(error);
    },
  }).render(
    <StrictMode>
      <App nonce={nonce} refusal={refusal} />
    </StrictMode>,
  );
}
