import '@mantine/core/styles.css';
import './app/console.css';
import { CastellanError } from '@castellan/sdk';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { finishSignIn } from './session/sign-in.ts';

const container = document.getElementById('console');
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
// The library that locks the page's scrolling reads the nonce from this variable.
Object.assign(globalThis, { __webpack_nonce__: nonce });
// Comes first, so that the token in the address is removed before anything is rendered.
const refusal = finishSignIn();
if (container !== null) {
  createRoot(container, {
    // Errors of the API are shown in their part of the screen; any other error is a fault of the console.
    onCaughtError: (error) => {
      if (!(error instanceof CastellanError)) reportError(error);
    },
  }).render(
    <StrictMode>
      <App nonce={nonce} refusal={refusal} />
    </StrictMode>,
  );
}
