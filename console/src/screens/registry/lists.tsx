import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { castellan, forget, queries } from '../../session/api.ts';
import { useLevel } from '../../session/me.ts';
import { FieldsDialog } from '../../shared/fields-dialog.tsx';
import { FilteredList } from '../../shared/filtered-list.tsx';
import { ADMINISTRATOR, REGISTERS } from '../../shared/level-thresholds.ts';
import { RowLink } from '../../shared/links.tsx';
import { Name } from '../../shared/name.tsx';
import { DIGITS } from '../../text/patterns.ts';
import { t } from '../../text/text.ts';

export function Alliances() {
  const { data } = useSuspenseQuery(queries.alliance.list());
  const navigate = useNavigate();
  return (
    <>
      <Register
        label={t('Register alliance')}
        idLabel={t('Alliance id')}
        submit={async (alliance_id) => {
          await castellan.alliance.register({ params: { alliance_id } });
          await forget('alliance', 'corporation', 'user', 'group');
          await navigate({ to: '/alliance/$id', params: { id: String(alliance_id) } });
        }}
      />
      <FilteredList
        label={t('Alliances')}
        items={data}
        textOf={({ alliance_name }) => alliance_name}
        keyOf={({ alliance_id }) => alliance_id}
        empty={t('No alliance is registered yet.')}
      >
        {({ alliance_id, alliance_name }) => (
          <RowLink to="/alliance/$id" of={String(alliance_id)}>
            <Name of={alliance_name} />
          </RowLink>
        )}
      </FilteredList>
    </>
  );
}

export function Corporations() {
  const { data } = useSuspenseQuery(queries.corporation.list());
  const navigate = useNavigate();
  return (
    <>
      <Register
        label={t('Register corporation')}
        idLabel={t('Corporation id')}
        submit={async (corporation_id) => {
          await castellan.corporation.register({ params: { corporation_id } });
          await forget('alliance', 'corporation', 'user', 'group');
          await navigate({ to: '/corporation/$id', params: { id: String(corporation_id) } });
        }}
      />
      <FilteredList
        label={t('Corporations')}
        items={data}
        textOf={({ corporation_name }) => corporation_name}
        keyOf={({ corporation_id }) => corporation_id}
        empty={t('No corporation is registered yet.')}
      >
        {({ corporation_id, corporation_name }) => (
          <RowLink to="/corporation/$id" of={String(corporation_id)}>
            <Name of={corporation_name} />
          </RowLink>
        )}
      </FilteredList>
    </>
  );
}

export function Coalitions() {
  const { data } = useSuspenseQuery(queries.coalition.list());
  return (
    <>
      <NewCoalition />
      <FilteredList
        label={t('Coalitions')}
        items={data}
        textOf={({ coalition_name }) => coalition_name}
        keyOf={({ coalition_id }) => coalition_id}
        empty={t('There is no coalition yet.')}
      >
        {({ coalition_id, coalition_name }) => (
          <RowLink to="/coalition/$id" of={coalition_id}>
            <Name of={coalition_name} />
          </RowLink>
        )}
      </FilteredList>
    </>
  );
}

function NewCoalition() {
  const allowed = useLevel(ADMINISTRATOR);
  const navigate = useNavigate();
  if (!allowed) return null;
  return (
    <div>
      <FieldsDialog
        label={t('New coalition')}
        fields={[
          { name: 'coalition_name', label: t('Name'), required: true },
          { name: 'ticker', label: t('Ticker'), required: true },
        ]}
        submit={async ({ coalition_name = '', ticker = '' }) => {
          const { coalition_id } = await castellan.coalition.create({ body: { coalition_name, ticker } });
          await forget('coalition', 'group');
          await navigate({ to: '/coalition/$id', params: { id: coalition_id } });
        }}
      />
    </div>
  );
}

interface RegisterProps {
  readonly label: string;
  readonly idLabel: string;
  readonly submit: (id: number) => Promise<unknown>;
}

/** Registers a corporation or alliance of the game by its id. */
function Register({ label, idLabel, submit }: RegisterProps) {
  const allowed = useLevel(REGISTERS);
  if (!allowed) return null;
  return (
    <div>
      <FieldsDialog
        label={label}
        fields={[
          {
            name: 'id',
            label: idLabel,
            description: t('As the game shows it, for example 99000001.'),
            required: true,
            inputMode: 'numeric',
            pattern: DIGITS,
          },
        ]}
        submit={({ id = '' }) => submit(Number(id))}
      />
    </div>
  );
}
