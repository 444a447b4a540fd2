import type { Coalition as CoalitionRecord } from '@castellan/sdk';
import { Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { castellan, forget, queries, queryClient } from '../../session/api.ts';
import { useLevel, useMe } from '../../session/me.ts';
import { mayReach } from '../../shared/authority.ts';
import { Confirm } from '../../shared/confirm.tsx';
import { ADMINISTRATOR, CHANGES_COALITION, READS_COALITION } from '../../shared/level-thresholds.ts';
import { LoginSetting } from '../../shared/login-setting.tsx';
import { Name } from '../../shared/name.tsx';
import { useRecord } from '../../shared/record.ts';
import { Screen, Section } from '../../shared/screen.tsx';
import { shownAtOnce } from '../../shared/shown-at-once.ts';
import { t } from '../../text/text.ts';
import { CoalitionMembers } from './coalition-members.tsx';
import { MembersReport } from './members-report.tsx';
import { Requirements } from './requirements.tsx';

const route = getRouteApi('/coalition/$id');

function useCoalition(): CoalitionRecord {
  const { id } = route.useParams();
  return useRecord(queries.coalition.get({ params: { coalition_id: id } }));
}

/** The screen of a coalition: members, login permission and required scopes. */
export function Coalition() {
  const coalition = useCoalition();
  return (
    <Screen
      title={coalition.coalition_name}
      heading={<Name of={coalition.coalition_name} />}
      lead={<Name of={`[${coalition.ticker}]`} />}
      actions={<Delete />}
    >
      <Content />
    </Screen>
  );
}

function Content() {
  const coalition = useCoalition();
  const params = { coalition_id: coalition.coalition_id };
  const me = useMe();
  const at = { coalition: coalition.coalition_id };
  const mayUpdate = me.clearance_level >= CHANGES_COALITION && mayReach('write', me, at);
  const mayTrack = me.clearance_level >= READS_COALITION && mayReach('read', me, at);
  // The members of a coalition that keeps them out are for administrators (D14).
  const keepsOut = coalition.authorized_to_login === false;
  const mayChange = mayUpdate && (!keepsOut || me.clearance_level >= ADMINISTRATOR);
  return (
    <Stack>
      <div className="grid">
        <Section title={t('Members')}>
          <CoalitionMembers coalition={coalition} mayChange={mayChange} />
        </Section>
        <Section title={t('Logging in')}>
          <Login />
        </Section>
        <Section title={t('Required scopes')}>
          <Requirements
            own={coalition.mandatory_ext_scopes}
            {...(mayUpdate && {
              preview: (mandatory_ext_scopes) =>
                castellan.coalition.update.preview({ params, body: { mandatory_ext_scopes } }),
              save: async (mandatory_ext_scopes) => {
                await castellan.coalition.update({ params, body: { mandatory_ext_scopes } });
                await forget('coalition', 'alliance', 'corporation', 'user', 'token');
              },
            })}
          />
        </Section>
      </div>
      {mayTrack && (
        <MembersReport
          compliance={queries.coalition.compliance({ params })}
          days={queries.coalition.complianceDays({ params })}
          tracking={queries.coalition.tracking({ params })}
        />
      )}
    </Stack>
  );
}

function Login() {
  const coalition = useCoalition();
  const mayChange = useLevel(ADMINISTRATOR);
  const params = { coalition_id: coalition.coalition_id };
  const { queryKey } = queries.coalition.get({ params });
  const change = useMutation({
    mutationFn: (authorized_to_login: boolean) =>
      castellan.coalition.update({ params, body: { authorized_to_login } }),
    ...shownAtOnce(queryClient, queryKey, (before: CoalitionRecord, authorized_to_login: boolean) => ({
      ...before,
      authorized_to_login,
    })),
    onSuccess: (changed) => queryClient.setQueryData(queryKey, changed),
  });
  return (
    <LoginSetting
      value={coalition.authorized_to_login}
      mayChange={mayChange}
      preview={(authorized_to_login) =>
        castellan.coalition.update.preview({ params, body: { authorized_to_login } })
      }
      save={change.mutateAsync}
    />
  );
}

function Delete() {
  const { coalition_id, coalition_name } = useCoalition();
  const allowed = useLevel(ADMINISTRATOR);
  const navigate = useNavigate();
  if (!allowed) return null;
  return (
    <Confirm
      label={t('Delete coalition')}
      question={t('Whoever is let in by {name} alone loses access at once.', { name: coalition_name })}
      preview={() => castellan.coalition.delete.preview({ params: { coalition_id } })}
      act={async () => {
        await castellan.coalition.delete({ params: { coalition_id } });
        // What was not saved is gone with it.
        await navigate({ to: '/registry', ignoreBlocker: true });
        await forget('coalition', 'group', 'user', 'token');
      }}
    />
  );
}
