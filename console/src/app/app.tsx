import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect } from 'react';
import { queryClient } from '../session/api.ts';
import { useToken } from '../session/session.ts';
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
  return <RouterProvider router={router} />;
}
