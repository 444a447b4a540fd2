import { Text, TextInput } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useDeferredValue, useId, useState } from 'react';
import { queries } from '../session/api.ts';
import { useMe } from '../session/me.ts';
import { useUsersByPart } from '../shared/by-name.ts';
import { Name } from '../shared/name.tsx';
import { Problem } from '../shared/problem.tsx';
import { t } from '../text/text.ts';
import { PLACES } from './places.tsx';

interface Found {
  readonly key: string;
  readonly name: string;
  readonly kind: string;
  readonly to: string;
}

const MOST = 12;
const KEYS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** Searches screens and named records by a part of their name. */
export function Finder({ close }: { readonly close: () => void }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const { found, error, isLooking } = useFound(text);
  const list = useId();
  const navigate = useNavigate();
  const go = (place: Found | undefined) => {
    if (place === undefined) return;
    close();
    void navigate({ to: place.to });
  };
  const press = (event: KeyboardEvent) => {
    const step = KEYS[event.key];
    if (step !== undefined && found.length > 0) {
      event.preventDefault();
      setChosen((chosen + step + found.length) % found.length);
    }
    if (event.key === 'Enter') go(found[chosen]);
  };
  return (
    <>
      <TextInput
        role="combobox"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={found.length > 0 ? `${list}-${chosen}` : undefined}
        aria-label={t('A screen, a person, a group, an alliance …')}
        placeholder={t('A screen, a person, a group, an alliance …')}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={press}
        autoComplete="off"
        data-autofocus
        // The field is rendered later than the dialog, so the dialog cannot focus it.
        autoFocus
        mb="sm"
      />
      <div role="listbox" id={list} aria-label={t('Found')}>
        {found.map((place, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys.
          <div
            key={place.key}
            id={`${list}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => go(place)}
          >
            <span style={{ flex: 1 }}>
              <Name of={place.name} />
            </span>
            <span>{place.kind}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && error === null && (
        <Text role="status">{isLooking ? t('Looking …') : t('Nothing is called that.')}</Text>
      )}
      <Problem error={error} />
    </>
  );
}

interface Finding {
  readonly found: readonly Found[];
  /** The first error of the requests, after which entries may be missing. */
  readonly error: Error | null;
  readonly isLooking: boolean;
}

/** The entries whose name contains the text: first those that are called that, then those that begin with it. */
function useFound(text: string): Finding {
  const me = useMe();
  const wanted = text.trim().toLowerCase();
  const enabled = wanted !== '';
  // Only requests to the service are deferred: Enter must always use the text as it is at that moment.
  const settled = useDeferredValue(text.trim());
  const people = useUsersByPart(settled, MOST);
  const [groups, alliances, corporations, coalitions] = useQueries({
    queries: [
      { ...queries.group.list(), enabled },
      { ...queries.alliance.list(), enabled },
      { ...queries.corporation.list(), enabled },
      { ...queries.coalition.list(), enabled },
    ],
  });
  const asked = [people, groups, alliances, corporations, coalitions];
  const screens = PLACES.filter(({ level }) => me.clearance_level >= level).map(({ to, label }) =>
    found(t('Screen'), to, t(label)),
  );
  if (!enabled) return { found: screens, error: null, isLooking: false };
  const all = [
    ...screens,
    ...people.found.map((each) => found(t('User'), `/user/${each.character_id}`, each.character_name)),
    ...(groups.data ?? []).map((each) => found(t('Group'), `/group/${each.group_id}`, each.group_name)),
    ...(alliances.data ?? []).map((each) =>
      found(t('Alliance'), `/alliance/${each.alliance_id}`, each.alliance_name),
    ),
    ...(corporations.data ?? []).map((each) =>
      found(t('Corporation'), `/corporation/${each.corporation_id}`, each.corporation_name),
    ),
    ...(coalitions.data ?? []).map((each) =>
      found(t('Coalition'), `/coalition/${each.coalition_id}`, each.coalition_name),
    ),
  ];
  const rank = (name: string) => (name === wanted ? -1 : name.indexOf(wanted));
  const matching = all
    .map((place) => ({ place, name: place.name.toLowerCase() }))
    .filter(({ name }) => name.includes(wanted))
    .sort((a, b) => rank(a.name) - rank(b.name))
    .slice(0, MOST);
  return {
    found: matching.map(({ place }) => place),
    error: asked.find(({ error }) => error !== null)?.error ?? null,
    isLooking: asked.some(({ isFetching }) => isFetching),
  };
}

function found(kind: string, to: string, name: string): Found {
  return { key: `${kind} ${to}`, kind, to, name };
}
