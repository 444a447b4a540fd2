import { Modal, Text, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useState } from 'react';
import { queries } from '../session/api.ts';
import { useMe } from '../session/me.ts';
import { Name } from '../shared/name.tsx';
import { Part } from '../shared/screen.tsx';
import { t } from '../text/text.ts';
import { PLACES } from './places.tsx';

/** Opens the palette on Ctrl K, ⌘ K, or on / outside text fields. */
export function usePaletteKeys(open: () => void): void {
  useEffect(() => {
    const listen = (event: globalThis.KeyboardEvent) => {
      const typing =
        event.target instanceof HTMLElement && event.target.closest('input, textarea, [role=textbox]');
      const asked = (event.key === 'k' && (event.ctrlKey || event.metaKey)) || (event.key === '/' && !typing);
      if (!asked) return;
      event.preventDefault();
      open();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [open]);
}

interface PaletteProps {
  readonly opened: boolean;
  readonly close: () => void;
}

/** Searches screens and named records by a part of their name. */
export function Palette({ opened, close }: PaletteProps) {
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={t('Find')}
      yOffset="10vh"
      centered={false}
      className="palette"
      // No animation, so that keys pressed immediately reach the field.
      transitionProps={{ duration: 0 }}
    >
      <Part rows={3}>
        <Finder close={close} />
      </Part>
    </Modal>
  );
}

interface Found {
  readonly key: string;
  readonly name: string;
  readonly kind: string;
  readonly to: string;
}

const MOST = 12;
const KEYS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

function Finder({ close }: { readonly close: () => void }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const found = useFound(text);
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
      {found.length === 0 && <Text role="status">{t('Nothing is called that.')}</Text>}
    </>
  );
}

/** The entries whose name contains the text; those that begin with it come first. */
function useFound(text: string): readonly Found[] {
  const me = useMe();
  const wanted = text.trim().toLowerCase();
  const asked = { enabled: wanted !== '' };
  // Only requests to the service are deferred: Enter must always use the text as it is at that moment.
  const settled = useDeferredValue(text.trim());
  const askedByName = { enabled: settled !== '', placeholderData: keepPreviousData };
  const request = { query: { search: settled, limit: MOST } };
  const { data: users = [] } = useQuery({ ...queries.user.list(request), ...askedByName });
  const { data: groups = [] } = useQuery({ ...queries.group.list(), ...asked });
  const { data: alliances = [] } = useQuery({ ...queries.alliance.list(), ...asked });
  const { data: corporations = [] } = useQuery({ ...queries.corporation.list(), ...asked });
  const { data: coalitions = [] } = useQuery({ ...queries.coalition.list(), ...asked });
  const screens = PLACES.filter(({ level }) => me.clearance_level >= level).map(({ to, label }) =>
    found(t('Screen'), to, t(label)),
  );
  if (wanted === '') return screens;
  const all = [
    ...screens,
    ...users.map((each) =>
      found(t('User'), `/user/${encodeURIComponent(each.character_name)}`, each.character_name),
    ),
    ...groups.map((each) => found(t('Group'), `/group/${each.group_id}`, each.group_name)),
    ...alliances.map((each) => found(t('Alliance'), `/alliance/${each.alliance_id}`, each.alliance_name)),
    ...corporations.map((each) =>
      found(t('Corporation'), `/corporation/${each.corporation_id}`, each.corporation_name),
    ),
    ...coalitions.map((each) =>
      found(t('Coalition'), `/coalition/${each.coalition_id}`, each.coalition_name),
    ),
  ];
  const matching = all
    .map((place) => ({ place, at: place.name.toLowerCase().indexOf(wanted) }))
    .filter(({ at }) => at >= 0);
  return matching
    .sort((a, b) => a.at - b.at)
    .slice(0, MOST)
    .map(({ place }) => place);
}

function found(kind: string, to: string, name: string): Found {
  return { key: `${kind} ${to}`, kind, to, name };
}
