import { CastellanError } from '@castellan/sdk';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { queries, queryClient } from '../session/api.ts';
import { characterOf, useToken } from '../session/session.ts';
import { later } from '../shared/later.ts';
import { GuestPage } from './guest-page.tsx';
import { router } from './router.tsx';
import { readable, theme } from './theme.ts';

/** Not part of the first chunk, as signed-in users do not need it. */
export const SignInPage = later(() => import('./sign-in-page.tsx'), 'SignInPage');

interface AppProps {
  /** The nonce of the content security policy for the page's styles. */
  readonly nonce: string;
  /** Why the sign-in that just returned to this page was refused. */
  readonly refusal: string | undefined;
}

export function App({ nonce, refusal }: AppProps) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={readable}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        <Gate refusal={refusal} />
      </QueryClientProvider>
    </MantineProvider>
  );
}

function Gate({ refusal }: { readonly refusal: string | undefined }) {
  const token = useToken();
  const [told, tell] = useState(refusal);
  // Once somebody is signed in, it is no reason any more why nobody is.
  if (token !== undefined && told !== undefined) tell(undefined);
  if (token !== undefined) return <Session key={characterOf(token)} />;
  return (
    <Suspense fallback={null}>
      <SignInPage refusal={told} />
    </Suspense>
  );
}

/** The screens of a signed-in user. */
function Session() {
  const { error } = useQuery(queries.token.current());
  // Only guests are of too low a level for this operation; a 403 of a proxy before the service has no code (D73).
  if (error instanceof CastellanError && error.code === 'level_too_low') return <GuestPage />;
  return <RouterProvider router={router} />;
}
