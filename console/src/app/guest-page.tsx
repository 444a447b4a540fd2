import { Button, Text } from '@mantine/core';
import { signOut } from '../session/sign-in.ts';
import { t } from '../text/text.ts';
import { FrontPage } from './front-page.tsx';

/** The page for guests: the console has nothing for them, as their sign-in only serves other applications. */
export function GuestPage() {
  return (
    <FrontPage title={t('You are a guest')}>
      <Text>
        {t(
          'The corporation that invited you has let you in: applications that ask this service know you as its guest. There is nothing to see here for guests.',
        )}
      </Text>
      <Text>{t('Once you belong to a corporation that is let in, sign in again.')}</Text>
      <div>
        <Button variant="default" onClick={() => void signOut()}>
          {t('Sign out')}
        </Button>
      </div>
    </FrontPage>
  );
}
