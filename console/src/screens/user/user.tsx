import type { User as UserRecord } from '@castellan/sdk';
import { Group, Stack, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { castellan, forget, queries } from '../../session/api.ts';
import { useMe } from '../../session/me.ts';
import { BUILT_IN, hasAuthority } from '../../shared/authority.ts';
import { Belonging } from '../../shared/belonging.tsx';
import { mustBe } from '../../shared/by-id.ts';
import { Confirm } from '../../shared/confirm.tsx';
import { GroupsOf } from '../../shared/groups-of.tsx';
import { laterPart } from '../../shared/later.ts';
import { LevelBadge } from '../../shared/level-badge.tsx';
import { ADMINISTRATOR } from '../../shared/level-thresholds.ts';
import { meaningOf } from '../../shared/level-words.ts';
import { Moment } from '../../shared/moment.tsx';
import { Name } from '../../shared/name.tsx';
import { useRecord } from '../../shared/record.ts';
import { Scopes } from '../../shared/scopes.tsx';
import { Screen, Section } from '../../shared/screen.tsx';
import { trackingOf } from '../../shared/tracking.ts';
import { Why } from '../../shared/why.tsx';
import { t } from '../../text/text.ts';
import { ChangeLevel } from './change-level.tsx';
import { PersonOf } from './person-of.tsx';

const Histories = laterPart(() => import('./histories.tsx'), 'Histories');
const route = getRouteApi('/user/$character');
const ID = /^(0|[1-9][0-9]{0,15})$/;

/** The query for whom the address names: by id, as all links do, or by name. */
function useUserQuery() {
  const { character } = route.useParams();
  return queries.user.get({ params: { character_name: character } });
}

function useUser(): UserRecord {
  const { character } = route.useParams();
  const user = useRecord(useUserQuery());
  if (ID.test(character)) mustBe(Number(character), user);
  return user;
}

/** The screen of a user: standing, organizations and histories. */
export function User() {
  const { character_name: name } = useUser();
  return (
    <Screen title={name} heading={<Name of={name} />} actions={<Actions />}>
      <Content />
    </Screen>
  );
}

function Content() {
  const user = useUser();
  const { queryKey } = useUserQuery();
  const me = useMe();
  return (
    <Stack>
      <div className="grid">
        <Section
          title={t('Clearance')}
          actions={
            hasAuthority('read', me, user) && user.character_id !== BUILT_IN && <Reasons user={user} />
          }
        >
          <Stack gap="xs">
            <Group gap="xs">
              <LevelBadge level={user.clearance_level} />
              <Text>{meaningOf(user.clearance_level)}</Text>
            </Group>
            <Offices user={user} />
            <ChangeLevel user={user} queryKey={queryKey} />
          </Stack>
        </Section>
        <Section title={t('Belongs to')}>
          <Belonging user={user} />
        </Section>
        <Section title={t('Groups')}>
          <GroupsOf characterId={user.character_id} />
        </Section>
        {hasAuthority('read', me, user) && user.character_id !== BUILT_IN && (
          <Section title={t('Person')}>
            <PersonOf characterId={user.character_id} />
          </Section>
        )}
        <Section title={t('Record')}>
          <dl className="facts">
            <dt>{t('Character')}</dt>
            <dd>{user.character_id}</dd>
            <dt>{t('Known as')}</dt>
            <dd>
              <Name of={user.tickered_name} />
            </dd>
            <dt>{t('Registered')}</dt>
            <dd>
              <Moment at={user.created_on} />
            </dd>
            <dt>{t('Changed')}</dt>
            <dd>
              <Moment at={user.updated_on} />
            </dd>
          </dl>
        </Section>
        <Section title={t('Scopes')}>
          <Grants user={user} />
        </Section>
      </div>
      {user.character_id !== BUILT_IN && hasAuthority('read', me, user) && (
        <Section title={t('History')}>
          <Histories user={user} />
        </Section>
      )}
    </Stack>
  );
}

/** Buttons that explain the user's level, login permission and refresh tokens. */
function Reasons({ user: { character_id: id, character_name: name } }: { readonly user: UserRecord }) {
  return (
    <Group gap="xs">
      <Why
        characterId={id}
        about="level"
        label={t('Level of {name}', { name })}
        text={t('Why this level?')}
      />
      <Why characterId={id} about="login" label={t('Login of {name}', { name })} text={t('Why let in?')} />
    </Group>
  );
}

function Offices({ user }: { readonly user: UserRecord }) {
  return (
    <>
      {user.is_ceo_of_corporation && <Text size="sm">{t('Leads the corporation.')}</Text>}
      {user.is_ceo_of_alliance && <Text size="sm">{t('Leads the alliance’s executor corporation.')}</Text>}
    </>
  );
}

function Grants({ user }: { readonly user: UserRecord }) {
  const isTold = hasAuthority('read', useMe(), user) && user.character_id !== BUILT_IN;
  return (
    <Stack gap="xs">
      <Text fw={600}>{t('Missing')}</Text>
      {isTold ? <Missing user={user} /> : <NeverGranted user={user} />}
      <Text fw={600}>{t('Granted')}</Text>
      <Scopes of={user.available_ext_scopes} none={t('Nothing.')} />
    </Stack>
  );
}

function Missing({ user }: { readonly user: UserRecord }) {
  const { data: why } = useSuspenseQuery(trackingOf(user.character_id));
  if (why.answer !== 'no') return <Text c="dimmed">{t('Nothing that is required.')}</Text>;
  return (
    <Text>
      <Name of={why.sentence} />
    </Text>
  );
}

/** What there is to tell of the record alone, to those whom the service does not tell its verdict. */
function NeverGranted({ user }: { readonly user: UserRecord }) {
  const missing = user.cumulated_mandatory_ext_scopes.filter(
    (scope) => !user.available_ext_scopes.includes(scope),
  );
  return <Scopes of={missing} none={t('No scope that was never granted.')} />;
}

/** The button to delete the user, for those who may (D15); the service checks that again. */
function Actions() {
  const user = useUser();
  const me = useMe();
  const navigate = useNavigate();
  const allowed =
    me.clearance_level >= ADMINISTRATOR &&
    me.clearance_level >= user.clearance_level &&
    ![BUILT_IN, me.character_id].includes(user.character_id);
  if (!allowed) return null;
  return (
    <Confirm
      label={t('Delete user')}
      question={t(
        'Tokens, grants, histories and memberships of {name} go. It is no ban: signing in registers the character anew.',
        { name: user.character_name },
      )}
      preview={() => castellan.user.delete.preview({ params: { character_id: user.character_id } })}
      act={async () => {
        await castellan.user.delete({ params: { character_id: user.character_id } });
        await navigate({ to: '/users' });
        await forget('user', 'group');
      }}
    />
  );
}
