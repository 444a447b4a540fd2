import pMap from 'p-map';
import { Agent, fetch as undiciFetch } from 'undici';
import { sequence } from '../../../dev/world/random.ts';
import { type Castellan, createCastellan } from '../../../sdk/src/index.ts';
import { Browser } from '../../harness/browser.ts';
import { relyingParty } from '../../harness/relying-party.ts';
import { OtherStatus } from './act.ts';
import { createLedger } from './ledger.ts';
import { Lender } from './lender.ts';
import type { Member, OutsideWorld } from './outside.ts';
import type { Person, Scene } from './scene.ts';

/** How many characters play which part. */
const PARTS = {
  people: 60,
  governors: 3,
  administrators: 4,
  climbers: 4,
  greedy: 1,
  loggedOut: 1,
  movers: 12,
  newcomers: 20,
  pairs: 8,
} as const;
const GUESTS = 6;
const OPEN_GROUPS = 8;
const CLOSED_GROUPS = 6;
const LEVELS = { governors: 8, administrators: 10 } as const;
const SCOPES = [
  ...(['ext-location.read_location.v1', 'ext-location.read_online.v1'] as const),
  ...(['ext-location.read_ship_type.v1', 'ext-mail.read_mail.v1', 'ext-skills.read_skills.v1'] as const),
  'ext-wallet.read_character_wallet.v1',
] as const;
const AT_ONCE = 4;
const REDIRECT_URI = 'https://wiki.example/oauth2/callback';

/** All connections of the callers, whose number says how many descriptors the service needs for them. */
const agent = new Agent({ connections: 40, keepAliveTimeout: 20_000 });
const through = (agent: Agent) =>
  ((url: string, init?: object) =>
    undiciFetch(url, { ...init, dispatcher: agent })) as unknown as typeof fetch;
const throughAgent = through(agent);

export interface Crowd {
  readonly scene: Scene;
  /** Characters who move from corporation to corporation. */
  readonly movers: readonly number[];
}

/** Fills an empty registry through the API: organizations, people who sign in, groups, applications. */
export async function gather(
  { url, rootToken }: Pick<Scene, 'url' | 'rootToken'>,
  outside: OutsideWorld,
  seed: number,
): Promise<Crowd> {
  const random = sequence(seed);
  const as = (token: string | undefined, by?: Agent) =>
    createCastellan({ baseUrl: url, token, retries: 0, fetch: by ? through(by) : throughAgent });
  const root = as(rootToken);
  const { tkn } = await root.token.createDynamic({ body: { callback: `${outside.receiver}/app` } });
  const application = as(tkn);

  async function signIn({ id: characterId }: Member, state_code?: string): Promise<string> {
    const body = { scopes: [...SCOPES], ...(state_code !== undefined && { state_code }) };
    const { login_url } = await application.token.startLogin({ body });
    const browser = new Browser({ url, provider: outside.provider }, { choice: { characterId } });
    const landed = await browser.go(login_url);
    if (landed.page !== undefined) throw new OtherStatus(landed.page.status, landed.html);
    return landed.url.searchParams.get('user_token') ?? '';
  }

  const welcome = (members: readonly Member[], level = 0): Promise<Person[]> =>
    pMap(
      members,
      async (member) => {
        const token = await signIn(member);
        const params = { character_id: member.id };
        if (level > 0) await root.user.update({ params, body: { clearance_level: level } });
        return { ...member, token, castellan: as(token) };
      },
      { concurrency: AT_ONCE },
    );

  const coalition = await foundCoalition(root, outside.alliances);
  const parts = cast(outside.members);
  const people = await welcome(parts.people);
  const governors = await welcome(parts.governors, LEVELS.governors);
  const administrators = await welcome(parts.administrators, LEVELS.administrators);
  const climbers = await welcome(parts.climbers);
  const [greedy, loggedOut] = await welcome([...parts.greedy, ...parts.loggedOut]);
  await welcome(parts.movers);
  if (greedy === undefined || loggedOut === undefined) throw new Error('somebody is missing');
  await loggedOut.castellan.token.logout();
  const groups = await makeGroups(root);
  const memberships = await root.user.groups({ params: { character: greedy.name } });
  await subscribe(root, outside);
  const client = await root.oidc.createClient({
    body: {
      ...{ client_name: 'Wiki', redirect_uris: [REDIRECT_URI], first_party: true },
      backchannel_logout_uri: `${outside.receiver}/logout`,
    },
  });
  let last = 0;
  const scene: Scene = {
    ...{ url, random, fetch: throughAgent, outside, root, rootToken, application, as, signIn },
    ...{ people, governors, administrators, greedy, coalition, ...groups },
    stranger: as(undefined),
    loggedOut: loggedOut.castellan,
    newcomers: new Lender(random, parts.newcomers),
    pairs: new Lender(random, inPairs(parts.pairs)),
    guests: new Lender(random, outside.strangers.slice(0, GUESTS)),
    speakers: new Lender(
      random,
      outside.clids.map((clid, n) => ({ clid, person: people[n] as Person })),
    ),
    climbers: new Lender(random, climbers),
    alliances: outside.alliances,
    closedGroups: new Lender(random, groups.closedGroups),
    autogroup: memberships.find(({ is_autogroup }) => is_autogroup)?.group_id ?? '',
    ledger: createLedger(random),
    party: await relyingParty({ url }, client),
    next() {
      last += 1;
      return last;
    },
  };
  return { scene, movers: parts.movers.map(({ id }) => id) };
}

/** Who plays which part. */
function cast(members: readonly Member[]): Readonly<Record<keyof typeof PARTS, Member[]>> {
  let taken = 0;
  const parts = Object.entries(PARTS).map(([part, count]) => {
    const own = members.slice(taken, taken + count);
    taken += count;
    if (own.length < count) throw new Error(`there are not enough characters for all ${part}`);
    return [part, own];
  });
  return Object.fromEntries(parts);
}

function inPairs(members: readonly Member[]): [Member, Member][] {
  return members.flatMap((one, n) => (n % 2 === 0 ? [[one, members[n + 1] as Member]] : []));
}

async function foundCoalition(root: Castellan, alliances: readonly number[]): Promise<string> {
  for (const alliance_id of alliances) await root.alliance.register({ params: { alliance_id } });
  const { coalition_id } = await root.coalition.create({ body: { coalition_name: 'All', ticker: 'ALL' } });
  const body = { add_member_alliances: [...alliances] };
  await root.coalition.update({ params: { coalition_id }, body });
  return coalition_id;
}

async function makeGroups(root: Castellan) {
  const make = async (group_name: string, policy: Parameters<Castellan['group']['setPolicy']>[0]['body']) => {
    const { group_id } = await root.group.create({ body: { group_name } });
    await root.group.setPolicy({ params: { group_id }, body: policy });
    return group_id;
  };
  const openGroups: string[] = [];
  const closedGroups: string[] = [];
  for (let n = 0; n < OPEN_GROUPS; n += 1) openGroups.push(await make(`Open ${n}`, { joining: 'open' }));
  for (let n = 0; n < CLOSED_GROUPS; n += 1) {
    const policy = { questions: ['Since when?'], reapply_hours: 0 };
    closedGroups.push(await make(`Closed ${n}`, { joining: 'application', ...policy }));
  }
  return { openGroups, closedGroups };
}

/** Everything that happens is told to the application. */
async function subscribe(root: Castellan, { receiver }: OutsideWorld): Promise<void> {
  await root.webhook.create({ body: { url: `${receiver}/all`, types: ['*'] } });
  await root.webhook.create({ body: { url: `${receiver}/groups`, types: ['group.*'], ordered: true } });
}
