import { ok } from '../../../sdk/src/index.ts';
import { atRest, drawn, violations } from '../../harness/axe.ts';
import { LOOKS } from '../../harness/chromium.ts';
import { at, goToPart, operator, overflow, page, settled, tab } from './stage.ts';

/** What there is to look at. */
interface Records {
  readonly group: string;
  readonly coalition: string;
  readonly user: string;
}

/** A screen, or a part of one. */
export interface Place {
  readonly name: string;
  readonly path: (records: Records) => string;
  /** Which part of it. */
  readonly part?: string;
}

/** Every screen with its parts. */
export const PLACES: readonly Place[] = [
  { name: 'standing', path: () => '/' },
  { name: 'characters', path: () => '/characters' },
  { name: 'trail', path: () => '/trail' },
  { name: 'groups', path: () => '/groups' },
  { name: 'groups-mine', path: () => '/groups', part: 'Mine' },
  { name: 'groups-to-join', path: () => '/groups', part: 'To join' },
  { name: 'group', path: ({ group }) => `/group/${group}` },
  { name: 'group-joining', path: ({ group }) => `/group/${group}`, part: 'Joining' },
  { name: 'group-history', path: ({ group }) => `/group/${group}`, part: 'History' },
  { name: 'inbox', path: () => '/inbox' },
  { name: 'registry', path: () => '/registry' },
  { name: 'alliance', path: () => '/alliance/99000001' },
  { name: 'corporation', path: () => '/corporation/98000001' },
  { name: 'corporation-days', path: () => '/corporation/98000001', part: 'Day by day' },
  { name: 'coalition', path: ({ coalition }) => `/coalition/${coalition}` },
  { name: 'users', path: () => '/users' },
  { name: 'user', path: ({ user }) => `/user/${encodeURIComponent(user)}` },
  { name: 'user-then', path: ({ user }) => `/user/${encodeURIComponent(user)}`, part: 'Then and now' },
  { name: 'audit', path: () => '/audit' },
  { name: 'applications', path: () => '/applications' },
  { name: 'webhooks', path: () => '/applications', part: 'Webhooks' },
  { name: 'system', path: () => '/system' },
  { name: 'held', path: () => '/system', part: 'Held back' },
  { name: 'nothing', path: () => '/no/such/screen' },
];

/** Those of a superuser besides. */
export const PLACES_OF_SUPERUSERS: readonly Place[] = [
  { name: 'jobs', path: () => '/system', part: 'Jobs' },
  { name: 'crashes', path: () => '/system', part: 'Crash reports' },
  { name: 'configuration', path: () => '/system', part: 'Configuration' },
];

async function records(): Promise<Records> {
  const groups = await ok(operator.group.list());
  const group = groups.find(({ group_name }) => group_name === 'Fleet commanders') ?? groups[0];
  const [coalition] = await ok(operator.coalition.list());
  const [user] = (await ok(operator.user.list())).filter(({ character_id }) => character_id !== 0);
  return {
    group: group?.group_id ?? '',
    coalition: coalition?.coalition_id ?? '',
    user: user?.character_name ?? '',
  };
}

export async function go({ path, part }: Place): Promise<void> {
  await page.goto(at(path(await records())));
  await settled();
  if (part === undefined) return;
  await goToPart(part);
  await settled();
}

type Look = (typeof LOOKS)[number];
export const ALL_LOOKS: readonly Look[] = LOOKS;
/** One size in one scheme, for what another role looks at in the others. */
export const PHONE_LIGHT: readonly Look[] = [LOOKS[0]];
export const DESK_DARK: readonly Look[] = [LOOKS[3]];
/** Both sizes and both schemes, in half the time. */
export const TWO_LOOKS: readonly Look[] = [LOOKS[0], LOOKS[3]];

/** What is wrong with what is seen: barriers, and whatever sticks out. */
export async function faultsOf(name: string, looks: readonly Look[]): Promise<string[]> {
  const faults: string[] = [];
  for (const { device, size, colorScheme } of looks) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await drawn(page);
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: 'attached' });
    await atRest(page);
    await tab.screenshot(`console-${name}-${device}-${colorScheme}`);
    const found = await violations(page);
    faults.push(...found.map((each) => `${name}, ${device}, ${colorScheme}: ${each}`));
    if ((await overflow()) !== 0) faults.push(`${name}, ${device}: something sticks out`);
  }
  return faults;
}
