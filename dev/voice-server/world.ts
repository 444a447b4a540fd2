import { type Fields, formatRows, type Row, type VoiceCommand } from './query.ts';

export interface SimulatedClient {
  readonly clid: number;
  readonly clientDatabaseId: number;
  nickname: string;
  readonly isVoice: boolean;
}

/** What stands in the last line of an answer, and the data before it. */
export interface VoiceAnswer {
  readonly data?: readonly Fields[];
  readonly id: number;
  readonly extra?: string;
}

/** What a query connection has done so far. */
export interface VoiceSession {
  loggedIn: boolean;
  serverId: number;
  readonly clid: number;
  nickname: string;
}

export interface SentMessage {
  readonly clid: number;
  readonly text: string;
  readonly from: string;
}

const OK: VoiceAnswer = { id: 0 };
const MESSAGES: Readonly<Record<number, string>> = {
  0: 'ok',
  256: 'command not found',
  512: 'invalid clientID',
  513: 'nickname is already in use',
  518: 'not logged in',
  520: 'invalid loginname or password',
  524: 'client is flooding',
  1024: 'invalid serverID',
  1281: 'database empty result set',
  1282: 'database duplicate entry',
  1538: 'invalid parameter',
  2560: 'invalid group ID',
  2561: 'duplicate entry',
  2563: 'empty result set',
  2568: 'insufficient client permissions',
  3329: 'connection failed, you are banned',
  3331: 'flooding ban',
};

/** An answer in the bytes of ServerQuery (provider.md §3). */
export function encodeAnswer({ data, id, extra }: VoiceAnswer): string {
  const outcome = {
    id,
    msg: MESSAGES[id] ?? 'undefined error',
    ...(extra !== undefined && { extra_msg: extra }),
  };
  const end = `error ${formatRows([outcome])}\n\r`;
  return data === undefined ? end : `${formatRows(data)}\n\r${end}`;
}

const SERVER_ID = 1;
const TEMPLATE = 0;
const REGULAR = 1;

/** One virtual server: who is on it, which groups it has, who is in them. Change it at will. */
export class VoiceWorld {
  readonly clients: SimulatedClient[] = [];
  readonly groups = new Map<number, { name: string; readonly type: number }>([
    [1, { name: 'Guest Server Query', type: 2 }],
    [3, { name: 'Normal', type: TEMPLATE }],
    [6, { name: 'Server Admin', type: REGULAR }],
    [8, { name: 'Guest', type: REGULAR }],
  ]);
  /** Client database ids by server group. */
  readonly memberships = new Map<number, Set<number>>();
  readonly messages: SentMessage[] = [];
  #known = new Set<number>();
  #lastClid = 0;
  #lastClientDatabaseId = 1;
  #lastSgid = 8;

  /** Somebody connects; the same database id is the same identity, anew a new one. */
  connect(nickname: string, { clientDatabaseId = ++this.#lastClientDatabaseId, isVoice = true } = {}) {
    const client: SimulatedClient = { clid: this.nextClid(), clientDatabaseId, nickname, isVoice };
    this.#lastClientDatabaseId = Math.max(this.#lastClientDatabaseId, clientDatabaseId);
    this.#known.add(clientDatabaseId);
    this.clients.push(client);
    return client;
  }

  nextClid(): number {
    this.#lastClid += 1;
    return this.#lastClid;
  }

  members(sgid: number): Set<number> {
    const members = this.memberships.get(sgid) ?? new Set();
    this.memberships.set(sgid, members);
    return members;
  }

  addGroup(name: string): number {
    this.#lastSgid += 1;
    this.groups.set(this.#lastSgid, { name, type: REGULAR });
    return this.#lastSgid;
  }

  isRegular(sgid: number): boolean {
    return this.groups.get(sgid)?.type === REGULAR;
  }

  isKnown(clientDatabaseId: number): boolean {
    return this.#known.has(clientDatabaseId);
  }
}

type Command = (world: VoiceWorld, session: VoiceSession, rows: readonly Row[]) => VoiceAnswer;

/** Commands that need neither login nor a chosen server are answered by the connection itself. */
const COMMANDS: Readonly<Record<string, Command>> = {
  clientlist: (world, session) => ({
    id: 0,
    data: [...world.clients, own(session)].map(clientRow),
  }),
  clientupdate(world, session, [row]) {
    const nickname = row?.get('client_nickname') ?? '';
    if (nickname.length < 3 || nickname.length > 30) return { id: 1538 };
    if (world.clients.some((client) => client.nickname === nickname)) return { id: 513 };
    session.nickname = nickname;
    return OK;
  },
  servergrouplist: (world) => ({
    id: 0,
    data: [...world.groups].map(([sgid, { name, type }]) => ({ sgid, name, type, iconid: 0, savedb: 1 })),
  }),
  servergroupadd(world, _session, [row]) {
    const name = row?.get('name') ?? '';
    if (name === '' || name.length > 30) return { id: 1538 };
    if ([...world.groups.values()].some((group) => group.name === name && group.type === REGULAR)) {
      return { id: 1282 };
    }
    return { id: 0, data: [{ sgid: world.addGroup(name) }] };
  },
  servergroupclientlist(world, _session, [row]) {
    const sgid = Number(row?.get('sgid'));
    if (!world.groups.has(sgid)) return { id: 2560 };
    const members = [...world.members(sgid)];
    if (members.length === 0) return { id: 1281 };
    return { id: 0, data: members.map((cldbid) => ({ cldbid })) };
  },
  servergroupaddclient: (world, _session, rows) =>
    forEachMember(world, rows, (members, cldbid) => {
      if (members.has(cldbid)) return 2561;
      members.add(cldbid);
      return 0;
    }),
  servergroupdelclient: (world, _session, rows) =>
    forEachMember(world, rows, (members, cldbid) => (members.delete(cldbid) ? 0 : 2563)),
  sendtextmessage(world, session, [row]) {
    const clid = Number(row?.get('target'));
    if (row?.get('targetmode') !== '1' || !world.clients.some((client) => client.clid === clid))
      return { id: 512 };
    world.messages.push({ clid, text: row.get('msg') ?? '', from: session.nickname });
    return OK;
  },
};

/** Runs one command of a connection. */
export function runCommand(
  world: VoiceWorld,
  session: VoiceSession,
  credentials: { readonly user: string; readonly password: string },
  { name, rows }: VoiceCommand,
): VoiceAnswer {
  if (rows === undefined) return { id: 1538 };
  const [row] = rows;
  if (name === 'login') {
    const right =
      row?.get('client_login_name') === credentials.user &&
      row.get('client_login_password') === credentials.password;
    session.loggedIn = right;
    return right ? OK : { id: 520 };
  }
  if (name === 'version')
    return { id: 0, data: [{ version: '3.13.7', build: 1655727713, platform: 'Linux' }] };
  if (name === 'use') {
    if (Number(row?.get('sid')) !== SERVER_ID) return { id: 1024 };
    session.serverId = SERVER_ID;
    return OK;
  }
  const command = COMMANDS[name];
  if (command === undefined) return { id: 256 };
  if (!session.loggedIn) return { id: 518 };
  if (session.serverId !== SERVER_ID) return { id: 1024 };
  return command(world, session, rows);
}

/** In the order of the list, up to the first that fails: those before it are done. */
function forEachMember(
  world: VoiceWorld,
  rows: readonly Row[],
  change: (members: Set<number>, clientDatabaseId: number) => number,
): VoiceAnswer {
  const sgid = Number(rows[0]?.get('sgid'));
  if (!world.isRegular(sgid)) return { id: 2560 };
  for (const row of rows) {
    const cldbid = Number(row.get('cldbid'));
    const id = world.isKnown(cldbid) ? change(world.members(sgid), cldbid) : 512;
    if (id !== 0) return { id };
  }
  return OK;
}

function own({ clid, nickname }: VoiceSession): SimulatedClient {
  return { clid, clientDatabaseId: 1, nickname, isVoice: false };
}

function clientRow({ clid, clientDatabaseId, nickname, isVoice }: SimulatedClient): Fields {
  return {
    clid,
    cid: 1,
    client_database_id: clientDatabaseId,
    client_nickname: nickname,
    client_type: isVoice ? 0 : 1,
  };
}
