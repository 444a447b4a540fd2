import type { Group as GroupRecord } from '@castellan/sdk';
import { Badge, Group as Row, Stack, Text } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { castellan, forget, queries } from '../../session/api.ts';
import { useLevel, useMe } from '../../session/me.ts';
import { BUILT_IN } from '../../shared/authority.ts';
import { Confirm } from '../../shared/confirm.tsx';
import { EventList } from '../../shared/events/event-list.tsx';
import { FieldsDialog, type Filled } from '../../shared/fields-dialog.tsx';
import { eventsOf } from '../../shared/known-listings.ts';
import { ADMINISTRATOR } from '../../shared/level-thresholds.ts';
import { LoginSetting } from '../../shared/login-setting.tsx';
import { Moment } from '../../shared/moment.tsx';
import { Name } from '../../shared/name.tsx';
import { useRecord } from '../../shared/record.ts';
import { Screen, Section } from '../../shared/screen.tsx';
import { Parts } from '../../shared/tabs.tsx';
import { UserLink } from '../../shared/user-link.tsx';
import { Why } from '../../shared/why.tsx';
import { t } from '../../text/text.ts';
import { changeOf } from './change.ts';
import { Joining } from './joining.tsx';
import { Members } from './members.tsx';

const route = getRouteApi('/group/$id');

function useGroup(): GroupRecord {
  const { id } = route.useParams();
  return useRecord(queries.group.get({ params: { group_id: id } }));
}

/** The screen of a group: description, login permission, members and joining. */
export function Group() {
  const { group_name, is_autogroup, description } = useGroup();
  return (
    <Screen
      title={group_name}
      heading={<Name of={group_name} />}
      lead={is_autogroup ? t('Its members follow the registry by themselves.') : description}
      actions={<Actions />}
    >
      <Stack>
        <div className="grid">
          <Section title={t('About')}>
            <About />
          </Section>
          <Section title={t('Logging in')}>
            <Login />
          </Section>
        </div>
        <Parts
          of={[
            { value: 'members', label: t('Members'), part: <MembersOf /> },
            { value: 'joining', label: t('Joining'), part: <JoiningOf />, keeps: true },
            { value: 'history', label: t('History'), part: <History /> },
          ]}
        />
      </Stack>
    </Screen>
  );
}

/** Explains why the user is a member or not. */
function WhyMe() {
  const { group_id, group_name } = useGroup();
  const { character_id } = useMe();
  return character_id === BUILT_IN ? null : (
    <Why
      characterId={character_id}
      about={`group:${group_id}`}
      label={t('I and {name}', { name: group_name })}
    />
  );
}

function MembersOf() {
  return (
    <>
      <div>
        <WhyMe />
      </div>
      <Members group={useGroup()} mayChange={useMayChange()} />
    </>
  );
}

function JoiningOf() {
  return <Joining group={useGroup()} mayChange={useMayChange()} />;
}

function History() {
  const { id } = route.useParams();
  return <EventList of={eventsOf({ target: `group:${id}` })} />;
}

/** Whether the user may change the group: its owner and administrators. Nobody changes members of an autogroup (D7). */
function useMayChange(): boolean {
  const { owner } = useGroup();
  const me = useMe();
  return me.clearance_level >= ADMINISTRATOR || owner?.character_id === me.character_id;
}

function About() {
  const group = useGroup();
  return (
    <dl className="facts">
      <dt>{t('Kept by')}</dt>
      <dd>{group.is_autogroup ? <Badge variant="default">{t('The registry')}</Badge> : t('People')}</dd>
      <dt>{t('Owner')}</dt>
      <dd>{group.owner === null ? t('Nobody') : <UserLink of={group.owner} />}</dd>
      <dt>{t('Description')}</dt>
      <dd>
        <Text style={{ whiteSpace: 'pre-wrap' }}>
          {group.description === '' ? t('None') : group.description}
        </Text>
      </dd>
      <dt>{t('Changed')}</dt>
      <dd>
        <Moment at={group.updated_on} />
      </dd>
    </dl>
  );
}

function Login() {
  const group = useGroup();
  const { save } = changeOf(group);
  const mayChange = useLevel(ADMINISTRATOR);
  const params = { group_id: group.group_id };
  return (
    <LoginSetting
      value={group.authorized_to_login}
      mayChange={mayChange}
      preview={(authorized_to_login) =>
        castellan.group.update.preview({ params, body: { authorized_to_login } })
      }
      save={async (authorized_to_login) => {
        await save({ authorized_to_login });
        // By that its policy may be out of force.
        await forget('group');
      }}
    />
  );
}

function Actions() {
  return (
    <Row gap="xs">
      <Leave />
      <Change />
    </Row>
  );
}

/** A button to leave the group, for members of hand-made groups except the owner (D111). */
function Leave() {
  const { group_id, group_name, is_autogroup, members, owner } = useGroup();
  const me = useMe();
  const isMember = members.some(({ character_id }) => character_id === me.character_id);
  if (!isMember || is_autogroup || owner?.character_id === me.character_id) return null;
  return (
    <Confirm
      label={t('Leave group')}
      question={t('You lose at once what you have by {name}.', { name: group_name })}
      act={async () => {
        await castellan.group.leave({ params: { group_id } });
        await forget('group', 'user');
      }}
    />
  );
}

function Change() {
  const group = useGroup();
  const mayChange = useMayChange();
  const mayDelete = useLevel(ADMINISTRATOR) && !group.is_autogroup;
  const { save, preview } = changeOf(group);
  const bodyOf = ({ owner, ...changed }: Filled) => ({
    ...changed,
    ...(owner !== undefined && owner !== '' && { owner }),
  });
  const navigate = useNavigate();
  const params = { group_id: group.group_id };
  if (!mayChange) return null;
  return (
    <>
      <FieldsDialog
        variant="default"
        label={t('Edit')}
        fields={[
          { name: 'description', label: t('Description'), long: true, value: group.description },
          ...(group.is_autogroup
            ? []
            : [
                {
                  name: 'owner',
                  label: t('Owner'),
                  value: group.owner?.character_name ?? '',
                  // An owner can be replaced, but not taken away.
                  required: group.owner !== null,
                },
              ]),
        ]}
        preview={(_, changed) => preview(bodyOf(changed))}
        submit={(_, changed) => save(bodyOf(changed))}
      />
      {mayDelete && (
        <Confirm
          label={t('Delete group')}
          question={t('Its {n} members lose what they have by it.', { n: group.members.length })}
          preview={() => castellan.group.delete.preview({ params })}
          act={async () => {
            await castellan.group.delete({ params });
            // What was not saved is gone with it.
            await navigate({ to: '/groups', ignoreBlocker: true });
            await forget('group', 'user');
          }}
        />
      )}
    </>
  );
}
