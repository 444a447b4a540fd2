import type { User } from '@castellan/sdk';
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { queries } from '../../session/api.ts';
import { useMe } from '../../session/me.ts';
import { replacedByThis, startSignIn } from '../../session/sign-in.ts';
import { BUILT_IN } from '../../shared/authority.ts';
import { Belonging } from '../../shared/belonging.tsx';
import { Character } from '../../shared/character.tsx';
import { GroupsOf } from '../../shared/groups-of.tsx';
import { LevelBadge } from '../../shared/level-badge.tsx';
import { meaningOf } from '../../shared/level-words.ts';
import { Moment } from '../../shared/moment.tsx';
import { Name } from '../../shared/name.tsx';
import { Problem } from '../../shared/problem.tsx';
import { Scopes } from '../../shared/scopes.tsx';
import { Screen, Section } from '../../shared/screen.tsx';
import { trackingOf } from '../../shared/tracking.ts';
import { Why } from '../../shared/why.tsx';
import { t } from '../../text/text.ts';
import { Tour } from './tour.tsx';
import { VoiceIdentity } from './voice-identity.tsx';

/** The user's own standing: what is missing, its organizations, and what it may do. */
export function Standing() {
  return (
    <Screen title={t('My standing')} lead={t('What you may do here, and what is missing for more.')}>
      <Tour />
      <Replaced />
      <Content />
    </Screen>
  );
}

/** Says that another character was chosen at the sign-on than the one that began it. */
function Replaced() {
  const former = replacedByThis();
  if (former === undefined) return null;
  return (
    <Alert variant="light" color="red" role="alert" title={t('You chose another character')}>
      {t('You are signed in as that one now. What is missing is still to be granted by')}{' '}
      <Character id={former} />
    </Alert>
  );
}

function Content() {
  const me = useMe();
  const isCharacter = me.character_id !== BUILT_IN;
  return (
    <div className="grid">
      <Section
        title={t('What is missing')}
        actions={isCharacter && <Why characterId={me.character_id} about="tracking" label={t('My tokens')} />}
      >
        {isCharacter ? <Missing me={me} /> : <NothingMissing />}
      </Section>
      <Section
        title={t('Who I am')}
        actions={
          isCharacter && (
            <Group gap="xs">
              <Why characterId={me.character_id} about="level" label="" text={t('Why this level?')} />
              <Why characterId={me.character_id} about="login" label="" text={t('Why let in?')} />
            </Group>
          )
        }
      >
        <Stack gap="xs">
          <Text size="lg" fw={600}>
            <Name of={me.tickered_name} />
          </Text>
          <Group gap="xs">
            <LevelBadge level={me.clearance_level} />
            <Text>{meaningOf(me.clearance_level)}</Text>
          </Group>
        </Stack>
      </Section>
      <Section title={t('Where I belong')}>
        <Belonging user={me} />
      </Section>
      <Section title={t('My groups')}>
        <GroupsOf characterId={me.character_id} />
      </Section>
      {isCharacter && (
        <Section title={t('Voice server')}>
          <VoiceIdentity />
        </Section>
      )}
      <Section title={t('This session')}>
        <Session />
      </Section>
    </div>
  );
}

function Missing({ me }: { readonly me: User }) {
  const { data: why } = useSuspenseQuery(trackingOf(me.character_id));
  return why.answer === 'no' ? <Grant me={me} reason={why.sentence} /> : <NothingMissing />;
}

function NothingMissing() {
  return <Text>{t('Nothing. Everything that is required of you is granted.')}</Text>;
}

/** Offers a sign-in for all that is required and all that was granted, so that its refresh token covers both. */
function Grant({ me, reason }: { readonly me: User; readonly reason: string }) {
  const required = me.cumulated_mandatory_ext_scopes;
  const scopes = [...new Set([...me.available_ext_scopes, ...required])].sort();
  const granting = useMutation({ mutationFn: () => startSignIn({ scopes }) });
  return (
    <Stack align="flex-start">
      <Text>{reason}</Text>
      {required.length > 0 && (
        <Text>{t('Your corporation, alliance and coalitions require, all at once:')}</Text>
      )}
      {required.length > 0 && <Scopes of={required} none="" />}
      <Problem error={granting.error} />
      <Button onClick={() => granting.mutate()} loading={granting.isPending}>
        {t('Grant what is missing')}
      </Button>
    </Stack>
  );
}

function Session() {
  const { data: token } = useSuspenseQuery(queries.token.current());
  return (
    <dl className="facts">
      <dt>{t('Signed in')}</dt>
      <dd>
        <Moment at={token.created_on} />
      </dd>
      {token.expires_on !== null && (
        <>
          <dt>{t('Ends')}</dt>
          <dd>
            <Moment at={token.expires_on} />
          </dd>
        </>
      )}
    </dl>
  );
}
