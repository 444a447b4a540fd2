import type { Corporation as CorporationRecord } from '@castellan/sdk';
import { Stack } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { castellan, forget, queries } from '../../session/api.ts';
import { useMe } from '../../session/me.ts';
import { mayReach } from '../../shared/authority.ts';
import { CHANGES_CORPORATION, READS_CORPORATION } from '../../shared/level-thresholds.ts';
import { LinkAnchor } from '../../shared/links.tsx';
import { Moment } from '../../shared/moment.tsx';
import { Name } from '../../shared/name.tsx';
import { Screen, Section } from '../../shared/screen.tsx';
import { UserLink } from '../../shared/user-link.tsx';
import { t } from '../../text/text.ts';
import { Guests } from './guests.tsx';
import { MembersReport } from './members-report.tsx';
import { Requirements } from './requirements.tsx';

const route = getRouteApi('/corporation/$id');

function useCorporation(): CorporationRecord {
  const { id } = route.useParams();
  return useSuspenseQuery(queries.corporation.get({ params: { corporation_id: Number(id) } })).data;
}

/** The screen of a corporation: CEO, required scopes, compliance of its members, and guests. */
export function Corporation() {
  const corporation = useCorporation();
  return (
    <Screen
      title={corporation.corporation_name}
      heading={<Name of={corporation.corporation_name} />}
      lead={<Name of={`[${corporation.ticker}]`} />}
    >
      <Content />
    </Screen>
  );
}

function Content() {
  const corporation = useCorporation();
  const params = { corporation_id: corporation.corporation_id };
  const me = useMe();
  const at = {
    corporation: corporation.corporation_id,
    alliance: corporation.alliance?.alliance_id ?? null,
  };
  const mayChange = me.clearance_level >= CHANGES_CORPORATION && mayReach('write', me, at);
  const mayRead = me.clearance_level >= READS_CORPORATION && mayReach('read', me, at);
  return (
    <Stack>
      <div className="grid">
        <Section title={t('About')}>
          <About corporation={corporation} />
        </Section>
        <Section title={t('Required scopes')}>
          <Requirements
            own={corporation.mandatory_ext_scopes}
            cumulated={corporation.cumulated_mandatory_ext_scopes}
            {...(mayChange && {
              preview: (mandatory_ext_scopes) =>
                castellan.corporation.update.preview({ params, body: { mandatory_ext_scopes } }),
              save: async (mandatory_ext_scopes) => {
                await castellan.corporation.update({ params, body: { mandatory_ext_scopes } });
                await forget('corporation', 'user', 'token');
              },
            })}
          />
        </Section>
      </div>
      {mayRead && (
        <>
          <MembersReport
            compliance={queries.corporation.compliance({ params })}
            days={queries.corporation.complianceDays({ params })}
            tracking={queries.corporation.tracking({ params })}
          />
          <Section title={t('Guests')}>
            <Guests corporationId={corporation.corporation_id} mayDelete={mayChange} />
          </Section>
        </>
      )}
    </Stack>
  );
}

function About({ corporation }: { readonly corporation: CorporationRecord }) {
  const { alliance, ceo } = corporation;
  return (
    <dl className="facts">
      <dt>{t('Corporation id')}</dt>
      <dd>{corporation.corporation_id}</dd>
      <dt>{t('Alliance')}</dt>
      <dd>
        {alliance === null ? (
          t('None')
        ) : (
          <LinkAnchor to="/alliance/$id" params={{ id: String(alliance.alliance_id) }}>
            <Name of={alliance.alliance_name} />
          </LinkAnchor>
        )}
      </dd>
      <dt>{t('CEO')}</dt>
      <dd>
        <UserLink of={ceo} />
      </dd>
      <dt>{t('Changed')}</dt>
      <dd>
        <Moment at={corporation.updated_on} />
      </dd>
    </dl>
  );
}
