import type { User } from '@castellan/sdk';
import { Text } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { queries } from '../session/api.ts';
import { t } from '../text/text.ts';
import { LinkAnchor } from './links.tsx';
import { Name } from './name.tsx';

/** Corporation, alliance and coalitions of a user, with links. */
export function Belonging({ user }: { readonly user: User }) {
  if (user.corporation === null && user.alliance === null && user.coalitions.length === 0) {
    return <Text c="dimmed">{t('To nobody who is known here.')}</Text>;
  }
  return (
    <dl className="facts">
      {user.corporation !== null && (
        <>
          <dt>{t('Corporation')}</dt>
          <dd>
            <CorporationName id={Number(user.corporation)} />
          </dd>
        </>
      )}
      {user.alliance !== null && (
        <>
          <dt>{t('Alliance')}</dt>
          <dd>
            <AllianceName id={user.alliance} />
          </dd>
        </>
      )}
      {user.coalitions.length > 0 && (
        <>
          <dt>{t('Coalitions')}</dt>
          <dd>
            <CoalitionNames ids={user.coalitions} />
          </dd>
        </>
      )}
    </dl>
  );
}

function CorporationName({ id }: { readonly id: number }) {
  const { data } = useQuery(queries.corporation.get({ params: { corporation_id: id } }));
  return (
    <LinkAnchor to="/corporation/$id" params={{ id: String(id) }}>
      <Name of={data?.corporation_name ?? `#${id}`} />
    </LinkAnchor>
  );
}

function AllianceName({ id }: { readonly id: number }) {
  const { data } = useQuery(queries.alliance.get({ params: { alliance_id: id } }));
  return (
    <LinkAnchor to="/alliance/$id" params={{ id: String(id) }}>
      <Name of={data?.alliance_name ?? `#${id}`} />
    </LinkAnchor>
  );
}

function CoalitionNames({ ids }: { readonly ids: readonly string[] }) {
  const { data } = useSuspenseQuery(queries.coalition.list());
  return data
    .filter(({ coalition_id }) => ids.includes(coalition_id))
    .map(({ coalition_id, coalition_name }) => (
      <div key={coalition_id}>
        <LinkAnchor to="/coalition/$id" params={{ id: coalition_id }}>
          <Name of={coalition_name} />
        </LinkAnchor>
      </div>
    ));
}
