import { CastellanError } from '@castellan/sdk';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect } from 'react';
import { queries, queryClient } from '../session/api.ts';
import { useToken } from '../session/session.ts';
import { GuestPage } from './guest-page.tsx';
import { router } from './router.tsx';
import { SignInPage } from './sign-in-page.tsx';
import { readable, theme } from './theme.ts';

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
  return token === undefined ? <SignInPage refusal={refusal} /> : <Session key={token} />;
}

/** Nothing of one session is left to the next. */
function Session() {
  useEffect(() => () => queryClient.clear(), []);
  const { error } = useQuery(queries.token.current());
  // Who may not even ask who he is, is a guest.
  if (error instanceof CastellanError && error.status === 403) return <GuestPage />;
  return <RouterProvider router={router} />;
}
