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
  return token === undefined ? <SignInPage refusal={refusal} /> : <Session key={token} />;
}

/** The screens of a signed-in user. The cache is cleared at the end, so that the next session sees nothing of it. */
function Session() {
  useEffect(() => () => queryClient.clear(), []);
  const { error } = useQuery(queries.token.current());
  // Only guests may not call this operation.
  if (error instanceof CastellanError && error.status === 403) return <GuestPage />;
  return <RouterProvider router={router} />;
}
