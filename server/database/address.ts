import pg from 'pg';

/** Which of several servers is wanted, in libpq's words; a replica follows a primary. */
const WANTED = {
  any: () => true,
  primary: ({ replica }: Role) => !replica,
  standby: ({ replica }: Role) => replica,
  'read-write': ({ readOnly }: Role) => !readOnly,
  'read-only': ({ readOnly }: Role) => readOnly,
} as const satisfies Record<string, (role: Role) => boolean>;

interface Role {
  readonly replica: boolean;
  readonly readOnly: boolean;
}

interface Server {
  readonly host: string;
  readonly port: number;
}

/** Milliseconds within which a server says what it is. */
const SAYS_WITHIN = 2_000;
const DEFAULT_PORT = 5432;
const URL_PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^/?]*)([^?]*)(?:\?(.*))?$/;

/** Why a DATABASE_URL cannot be used, without a word of its secrets; undefined: it can. */
export function addressProblem(url: string): string | undefined {
  const [, , hosts, , query] = URL_PARTS.exec(url) ?? [];
  if (hosts === undefined) return 'must begin with postgres://';
  const options = new URLSearchParams(query);
  const wanted = options.get('target_session_attrs') ?? 'any';
  if (!(wanted in WANTED)) return `target_session_attrs must be one of ${Object.keys(WANTED).join(', ')}`;
  const prepared = options.get('prepared_statements') ?? 'on';
  if (prepared !== 'on' && prepared !== 'off') return 'prepared_statements must be on or off';
  return undefined;
}

/**
 * What DATABASE_URL says: one server or several (`h1:5432,h2:5432`) with the kind that is wanted of them
 * (`target_session_attrs`), and whether statements may be prepared (`prepared_statements=off` for poolers that lose
 * them). Which of several is the right one is found out when it is needed, and anew when that one is lost.
 */
export class Address {
  /** For a client of the first server; the rest is in {@link locate}. */
  readonly connectionString: string;
  readonly prepares: boolean;
  /** A pooler stands before the server that takes no settings at a connection's beginning. */
  bare = false;
  readonly #servers: readonly Server[];
  readonly #fits: (role: Role) => boolean;
  readonly #asks: boolean;
  #found: Promise<Server> | undefined;

  constructor(url: string) {
    const [, before = '', hosts = '', path = '', query] = URL_PARTS.exec(url) ?? [];
    const options = new URLSearchParams(query);
    const wanted = options.get('target_session_attrs') ?? 'any';
    this.prepares = options.get('prepared_statements') !== 'off';
    options.delete('target_session_attrs');
    options.delete('prepared_statements');
    const rest = options.size === 0 ? path : `${path}?${options}`;
    const each = hosts.split(',');
    this.connectionString = `${before}${each[0]}${rest}`;
    this.#fits = WANTED[wanted as keyof typeof WANTED] ?? WANTED.any;
    this.#asks = each.length > 1 || wanted !== 'any';
    this.#servers = this.#asks ? each.map(toServer) : [];
  }

  /** The server to connect to; undefined: the only one. Rejects when none of several is there and fits. */
  locate(): Promise<Server> | undefined {
    if (!this.#asks) return undefined;
    this.#found ??= this.#search().catch((error: unknown) => {
      this.forget();
      throw error;
    });
    return this.#found;
  }

  /** Looks for the right server anew: the one that was found is gone, or is no more what it was. */
  forget(): void {
    this.#found = undefined;
  }

  /** All are asked at once, so that one that is silent holds up nobody. */
  async #search(): Promise<Server> {
    const asked = this.#servers.map(async (server) => {
      if (!this.#fits(await this.#roleOf(server))) throw new Error('is not what is wanted');
      return server;
    });
    try {
      return await Promise.any(asked);
    } catch {
      // As pg words it, so that it counts as "cannot be reached".
      throw new Error('Connection terminated: none of the servers of DATABASE_URL is there and fits');
    }
  }

  async #roleOf({ host, port }: Server): Promise<Role> {
    const client = new pg.Client({
      connectionString: this.connectionString,
      application_name: 'castellan looks for the primary',
      connectionTimeoutMillis: SAYS_WITHIN,
      query_timeout: SAYS_WITHIN,
    });
    client.on('error', () => undefined);
    Object.assign(client, { host, port });
    try {
      await client.connect();
      const { rows } = await client.query<{ replica: boolean; read_only: boolean }>(
        `select pg_is_in_recovery() as replica, current_setting('transaction_read_only')::bool as read_only`,
      );
      return { replica: rows[0]?.replica ?? true, readOnly: rows[0]?.read_only ?? true };
    } finally {
      client.end().catch(() => undefined);
    }
  }
}

function toServer(text: string): Server {
  const [, bracketed, plain, port] = /^(?:\[(.*)\]|([^:]*))(?::(\d+))?$/.exec(text) ?? [];
  return {
    host: decodeURIComponent(bracketed ?? plain ?? '') || 'localhost',
    port: Number(port ?? DEFAULT_PORT),
  };
}

const known = new Map<string, Address>();

/** The address of a URL: one for all pools of a process, which learn together where the primary is. */
export function addressOf(url: string): Address {
  let address = known.get(url);
  if (address === undefined) {
    address = new Address(url);
    known.set(url, address);
  }
  return address;
}
