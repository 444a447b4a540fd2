import { CastellanError } from '@castellan/sdk';
import { Alert, Button, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState, useSyncExternalStore } from 'react';
import { HOME } from '../session/addresses.ts';
import { isRefusal } from '../session/api.ts';
import { lastFarewell } from '../session/session.ts';
import { signInWith, startSignIn } from '../session/sign-in.ts';
import { Problem, RequestOf } from '../shared/problem.tsx';
import { TOKEN } from '../text/patterns.ts';
import { t } from '../text/text.ts';
import { FrontPage } from './front-page.tsx';

const INVITATION = `${HOME}/invitation`;

/** Shown at every address to those who are not signed in; after the sign-in the same address opens again. */
export function SignInPage({ refusal }: { readonly refusal: string | undefined }) {
  // Behind the `#`, which browsers send nobody: the code is as good as a key, and addresses are logged.
  const hash = useSyncExternalStore(onHashChange, () => location.hash);
  const invitation = location.pathname === INVITATION && hash !== '' ? hash.slice(1) : undefined;
  const [refused, setRefused] = useState<string>();
  const isOver = invitation !== undefined && invitation === refused;
  const signing = useMutation({
    mutationFn: () => {
      if (invitation === undefined) return startSignIn();
      return startSignIn(isOver ? {} : { state_code: invitation }, `${HOME}/`);
    },
    onError: (error) => {
      if (error instanceof CastellanError && error.code === 'state_code_unknown') setRefused(invitation);
    },
  });
  const farewell = lastFarewell();
  const told = refusal ?? (farewell && inWords(farewell));
  return (
    <FrontPage title={t('Sign in')} heading="castellan">
      <Text>
        {invitation === undefined
          ? t('Who belongs to whom, who may see what. Sign in with your character to see where you stand.')
          : t('You were invited as a guest. Sign in with the character that the invitation is for.')}
      </Text>
      {told !== undefined && (
        <Alert color="red" variant="light" role="alert" title={t('You are not signed in')}>
          {told}
          {refusal === undefined && <RequestOf error={farewell} />}
        </Alert>
      )}
      {isOver ? (
        <Text role="alert">
          {t(
            'It was used, or is older than 24 hours: ask for another one. Who was let in before needs none.',
          )}
        </Text>
      ) : (
        <Problem error={signing.error} />
      )}
      <Button size="md" onClick={() => signing.mutate()} loading={signing.isPending} autoFocus>
        {isOver ? t('Sign in without it') : t('Sign in with the game')}
      </Button>
      <Operator />
    </FrontPage>
  );
}

/** Why the last session ended: its token was refused, or is only forgotten here because it could not be revoked. */
function inWords(farewell: Error): string {
  if (isRefusal(farewell)) return farewell.message;
  const why = farewell instanceof CastellanError ? farewell.message : t('The service cannot be reached.');
  return `${why} ${t('Your token may be valid for up to a day: sign in and out again.')}`;
}

/** A second invitation in the same tab changes nothing but the fragment. */
function onHashChange(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}

/** The operator's sign-in with the token that `npm run token` prints, for as long as nobody else may sign in. */
function Operator() {
  const signing = useMutation({ mutationFn: signInWith });
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    signing.mutate(String(new FormData(event.currentTarget).get('token') ?? ''));
  };
  return (
    <details>
      <summary>{t('I run this service')}</summary>
      <form onSubmit={send}>
        <Stack mt="sm" align="flex-start">
          <PasswordInput
            name="token"
            label={t('Permanent token')}
            description={t(
              'npm run token prints one. It is used once, for a session of its own, and not kept.',
            )}
            required
            pattern={TOKEN}
            autoComplete="off"
            w="100%"
          />
          <Problem error={signing.error} />
          <Button type="submit" variant="default" loading={signing.isPending}>
            {t('Sign in as the service')}
          </Button>
        </Stack>
      </form>
    </details>
  );
}
