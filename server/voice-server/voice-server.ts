import type { VoiceAddress } from './address.ts';
import { type ConnectionOptions, openConnection, type VoiceConnection } from './connection.ts';
import { floodLimitOf } from './flood-limit.ts';
import { type Row, wholeNumber } from './protocol.ts';
import { ERROR_IDS, isRefusal, VoiceError } from './voice-error.ts';

/** A connected client. */
export interface VoiceClient {
  /** Id of the connection, for messages. */
  readonly clid: number;
  /** Id of the identity, which never changes (D41). */
  readonly clientDatabaseId: number;
  readonly nickname: string;
  /** False for a query client, such as ours. */
  readonly isVoice: boolean;
}

export interface ServerGroup {
  readonly sgid: number;
  readonly name: string;
  /** False for templates and groups of query clients, which cannot have members. */
  readonly isRegular: boolean;
}

/** The operations of the voice server that are used; each is one command. */
export interface VoiceServer {
  clients(): Promise<VoiceClient[]>;
  serverGroups(): Promise<ServerGroup[]>;
  /**
   * @returns the new group's sgid
   */
  createServerGroup(name: string): Promise<number>;
  /** Client database ids. */
  members(sgid: number): Promise<number[]>;
  addMembers(sgid: number, clientDatabaseIds: readonly number[]): Promise<void>;
  removeMembers(sgid: number, clientDatabaseIds: readonly number[]): Promise<void>;
  /** Sets our nickname, the sender of messages; if the server refuses it, its default stays. */
  takeNickname(nickname: string): Promise<void>;
  sendMessage(clid: number, text: string): Promise<void>;
}

/**
 * Logs in, runs `work`, and always closes the connection (D42).
 *
 * @throws VoiceError on any failure of the voice server
 */
export async function withVoiceServer<T>(
  address: VoiceAddress,
  options: Pick<ConnectionOptions, 'limits' | 'canWait' | 'signal'>,
  work: (server: VoiceServer) => Promise<T>,
): Promise<T> {
  const { host, port, user, password, serverId, allowlisted } = address;
  const floodLimit = allowlisted ? undefined : floodLimitOf(`${host}:${port}`);
  const connection = await openConnection({ host, port, floodLimit, ...options });
  try {
    await connection.command('login', { client_login_name: user, client_login_password: password });
    await connection.command('use', { sid: serverId });
    return await work(operations(connection));
  } finally {
    await connection.close();
  }
}

function operations(connection: VoiceConnection): VoiceServer {
  /** Rows of a list; servers refuse an empty one with 1281. */
  const list = (...command: Parameters<VoiceConnection['command']>) =>
    unless([ERROR_IDS.emptyResult], connection.command(...command));
  return {
    clients: async () => (await list('clientlist')).map(toClient),
    async serverGroups() {
      const rows = await list('servergrouplist');
      // Each server has its templates: an empty list would make all of ours look deleted.
      if (rows.length === 0)
        throw new VoiceError('unintelligible', 'the voice server lists no server groups');
      return rows.map(toServerGroup);
    },
    async createServerGroup(name) {
      const [row] = await connection.command('servergroupadd', { name });
      if (row === undefined) throw new VoiceError('unintelligible', 'a new server group has no sgid');
      return wholeNumber(row, 'sgid');
    },
    async members(sgid) {
      return (await list('servergroupclientlist', { sgid })).map((row) => wholeNumber(row, 'cldbid'));
    },
    async addMembers(sgid, ids) {
      await connection.command('servergroupaddclient', ...membership(sgid, ids));
    },
    async removeMembers(sgid, ids) {
      await connection.command('servergroupdelclient', ...membership(sgid, ids));
    },
    async takeNickname(client_nickname) {
      await unless('any', connection.command('clientupdate', { client_nickname }));
    },
    async sendMessage(clid, msg) {
      await connection.command('sendtextmessage', { targetmode: 1, target: clid, msg });
    },
  };
}

/** Parameters for a list of clients of one server group. */
function membership(sgid: number, ids: readonly number[]) {
  return ids.map((cldbid, index) => (index === 0 ? { sgid, cldbid } : { cldbid }));
}

/** Treats some refusals, or any, as an empty answer. */
async function unless(ids: readonly number[] | 'any', answer: Promise<Row[]>): Promise<Row[]> {
  try {
    return await answer;
  } catch (error) {
    if (isRefusal(error, ids)) return [];
    throw error;
  }
}

function toClient(row: Row): VoiceClient {
  const nickname = row.get('client_nickname');
  if (nickname === undefined) throw new VoiceError('unintelligible', 'a client has no nickname');
  return {
    clid: wholeNumber(row, 'clid'),
    clientDatabaseId: wholeNumber(row, 'client_database_id'),
    nickname,
    isVoice: wholeNumber(row, 'client_type') === 0,
  };
}

function toServerGroup(row: Row): ServerGroup {
  return {
    sgid: wholeNumber(row, 'sgid'),
    name: row.get('name') ?? '',
    isRegular: wholeNumber(row, 'type') === 1,
  };
}
