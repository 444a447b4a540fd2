import { CastellanError } from '@castellan/sdk';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { queries, queryClient } from '../session/api.ts';
import { useToken } from '../session/session.ts';
import { later } from '../shared/later.ts';
import { GuestPage } from './guest-page.tsx';
import { router } from './router.tsx';
import { readable, theme } from './theme.ts';

/** Whoever is signed in has no need of it. */
export const SignInPage = later(() => import('./sign-in-page.tsx'), 'SignInPage');

interface AppProps {
  /** What the page's styles are allowed by. */
  readonly nonce: string;
  /** Why the sign-in that just came back is not believed. */
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
  if (token !== undefined) return <Session key={token} />;
  return (
    <Suspense fallback={null}>
      <SignInPage refusal={refusal} />
    </Suspense>
  );
}

/** Nothing of one session is left to the next. */
function Session() {
  useEffect(() => () => queryClient.clear(), []);
  const { error } = useQuery(queries.token.current());
  // Who may not even ask who he is, is a guest.
  if (error instanceof CastellanError && error.status === 403) return <GuestPage />;
  return <RouterProvider router={router} />;
}
