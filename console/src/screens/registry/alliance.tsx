import type { Alliance as AllianceRecord } from '@castellan/sdk';
import { Stack } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { castellan, forget, queries } from '../../session/api.ts';
import { useMe } from '../../session/me.ts';
import { mayReach } from '../../shared/authority.ts';
import { CHANGES_ALLIANCE, READS_ALLIANCE } from '../../shared/level-thresholds.ts';
import { LinkAnchor } from '../../shared/links.tsx';
import { Moment } from '../../shared/moment.tsx';
import { Name } from '../../shared/name.tsx';
import { Screen, Section } from '../../shared/screen.tsx';
import { UserLink } from '../../shared/user-link.tsx';
import { t } from '../../text/text.ts';
import { MembersReport } from './members-report.tsx';
import { Requirements } from './requirements.tsx';

const route = getRouteApi('/alliance/$id');

function useAlliance(): AllianceRecord {
  const { id } = route.useParams();
  return useSuspenseQuery(queries.alliance.get({ params: { alliance_id: Number(id) } })).data;
}

/** The screen of an alliance: executor, required scopes and compliance of its members. */
export function Alliance() {
  const alliance = useAlliance();
  return (
    <Screen
      title={alliance.alliance_name}
      heading={<Name of={alliance.alliance_name} />}
      lead={<Name of={`[${alliance.ticker}]`} />}
    >
      <Content />
    </Screen>
  );
}

function Content() {
  const alliance = useAlliance();
  const params = { alliance_id: alliance.alliance_id };
  const me = useMe();
  const at = { alliance: alliance.alliance_id };
  const mayRequire = me.clearance_level >= CHANGES_ALLIANCE && mayReach('write', me, at);
  const mayTrack = me.clearance_level >= READS_ALLIANCE && mayReach('read', me, at);
  return (
    <Stack>
      <div className="grid">
        <Section title={t('About')}>
          <dl className="facts">
            <dt>{t('Alliance id')}</dt>
            <dd>{alliance.alliance_id}</dd>
            <dt>{t('Executor')}</dt>
            <dd>
              <LinkAnchor
                to="/corporation/$id"
                params={{ id: String(alliance.executor_corporation.corporation_id) }}
              >
                <Name of={alliance.executor_corporation.corporation_name} />
              </LinkAnchor>
            </dd>
            <dt>{t('CEO')}</dt>
            <dd>
              <UserLink of={alliance.ceo} />
            </dd>
            <dt>{t('Changed')}</dt>
            <dd>
              <Moment at={alliance.updated_on} />
            </dd>
          </dl>
        </Section>
        <Section title={t('Required scopes')}>
          <Requirements
            own={alliance.mandatory_ext_scopes}
            cumulated={alliance.cumulated_mandatory_ext_scopes}
            {...(mayRequire && {
              preview: (mandatory_ext_scopes) =>
                castellan.alliance.update.preview({ params, body: { mandatory_ext_scopes } }),
              save: async (mandatory_ext_scopes) => {
                await castellan.alliance.update({ params, body: { mandatory_ext_scopes } });
                await forget('alliance', 'corporation', 'user', 'token');
              },
            })}
          />
        </Section>
      </div>
      {mayTrack && (
        <MembersReport
          compliance={queries.alliance.compliance({ params })}
          days={queries.alliance.complianceDays({ params })}
          tracking={queries.alliance.tracking({ params })}
        />
      )}
    </Stack>
  );
}
