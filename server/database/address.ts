import pg from 'pg';
import { messageOf } from '../shared/message-of.ts';

/** The values of libpq's `target_session_attrs`. A replica is a server in recovery. */
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

type Tls = Pick<pg.ClientConfig, 'ssl' | 'sslnegotiation'>;

interface Server {
  readonly host: string;
  readonly port: number;
}

/** Timeout in milliseconds for asking a server whether it is a primary or a replica. */
const SAYS_WITHIN = 2_000;
const DEFAULT_PORT = 5432;
/** Beginning with user and password, hosts, path, query. */
const URL_PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?]*)([^?]*)(?:\?(.*))?$/;
const SERVER = /^(?:\[([\da-f:.]+)\]|([^\s:[\]@#]*))(?::(\d{1,5}))?$/i;
/** What the URL says about TLS; the first three name files. */
const TLS = ['sslrootcert', 'sslcert', 'sslkey', 'sslmode', 'ssl', 'sslnegotiation', 'uselibpqcompat'];
const TLS_FILES = TLS.slice(0, 3);
const TLS_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];
const UNREADABLE =
  'is no URL: user and password have to be percent-encoded (/ is %2F, # %23, ? %3F, @ %40, % %25), ports are numbers';

/** Why a DATABASE_URL cannot be used, without quoting its secrets; undefined when it can. */
export function addressProblem(url: string): string | undefined {
  const [, before, hosts, path = '', query] = URL_PARTS.exec(url) ?? [];
  if (before === undefined || hosts === undefined) return 'must begin with postgres://';
  // A password that is not encoded ends at its first `/` or `?`: its beginning is then taken for a port.
  const cut = hosts !== '' && !before.includes('@') && `${path}${query ?? ''}`.includes('@');
  if (cut || !hosts.split(',').every(isServer)) return UNREADABLE;
  const options = new URLSearchParams(query);
  const mode = options.get('sslmode');
  if (mode !== null && !TLS_MODES.includes(mode)) return `sslmode must be one of ${TLS_MODES.join(', ')}`;
  const wanted = options.get('target_session_attrs') ?? 'any';
  if (!(wanted in WANTED)) return `target_session_attrs must be one of ${Object.keys(WANTED).join(', ')}`;
  const prepared = options.get('prepared_statements') ?? 'on';
  if (prepared !== 'on' && prepared !== 'off') return 'prepared_statements must be on or off';
  return driverProblem(url);
}

function isServer(text: string): boolean {
  const [server, , , port = '0'] = SERVER.exec(text) ?? [];
  return server !== undefined && Number(port) < 65_536;
}

/** What the driver has against the URL, which reads the files of certificates and keys that it names. */
function driverProblem(url: string): string | undefined {
  try {
    new pg.Client(new Address(url).config());
    return undefined;
  } catch (error) {
    const { code, message, syscall } = error as NodeJS.ErrnoException;
    if (error instanceof URIError || code === 'ERR_INVALID_URL') return UNREADABLE;
    return syscall === undefined ? message : `names a file that cannot be read: ${message}`;
  }
}

/**
 * A parsed DATABASE_URL: one server or several (`h1:5432,h2:5432`) with the wanted kind (`target_session_attrs`), and
 * whether statements may be prepared (`prepared_statements=off` for poolers that do not keep them). Of several servers
 * the right one is determined on first use, and again after its loss.
 */
export class Address {
  readonly prepares: boolean;
  /** Whether a pooler rejects settings in the startup message, so that none are sent. */
  bare = false;
  readonly #connectionString: string;
  /** The same with the files of certificates and keys; undefined when it names none. */
  readonly #withFiles: string | undefined;
  #tls: Tls | undefined;
  readonly #servers: readonly Server[];
  readonly #wanted: string;
  /** Whether a server is of the wanted kind. */
  readonly fits: (role: Role) => boolean;
  readonly #asks: boolean;
  #found: Promise<Server> | undefined;

  constructor(url: string) {
    const [, before = '', hosts = '', path = '', query] = URL_PARTS.exec(url) ?? [];
    const options = new URLSearchParams(query);
    const wanted = options.get('target_session_attrs') ?? 'any';
    this.prepares = options.get('prepared_statements') !== 'off';
    options.delete('target_session_attrs');
    options.delete('prepared_statements');
    const textOf = () => `${before}${hosts.split(',')[0]}${path}${options.size === 0 ? '' : `?${options}`}`;
    const servers = serversOf(hosts, options);
    this.#connectionString = textOf();
    if (TLS_FILES.some((name) => options.has(name))) {
      this.#withFiles = this.#connectionString;
      for (const name of TLS) options.delete(name);
      this.#connectionString = textOf();
    }
    this.fits = WANTED[wanted as keyof typeof WANTED] ?? WANTED.any;
    this.#wanted = wanted;
    this.#asks = servers.length > 1 || wanted !== 'any';
    this.#servers = servers;
  }

  /**
   * What to connect with: the first server, unless {@link locate} names another. The files of certificates and keys are
   * read each time, as they are renewed; while one cannot be read the last ones count, because an error here would
   * reach a pool's timers and sockets, and end the process.
   */
  config(): pg.ClientConfig {
    const connectionString = this.#connectionString;
    if (this.#withFiles === undefined) return { connectionString };
    try {
      this.#tls = tlsOf(this.#withFiles);
    } catch (error) {
      if (this.#tls === undefined) throw error;
    }
    return { connectionString, ...this.#tls };
  }

  /**
   * The server to connect to; undefined when there is only one. Rejects when none of several is reachable and of the
   * wanted kind.
   */
  locate(): Promise<Server> | undefined {
    if (!this.#asks) return undefined;
    this.#found ??= this.#search().catch((error: unknown) => {
      this.forget();
      throw error;
    });
    return this.#found;
  }

  /** Discards the server found, because it is gone or changed its role, so that the next connection searches again. */
  forget(): void {
    this.#found = undefined;
  }

  /** Asks all servers in parallel, so that an unresponsive one does not delay the others. */
  async #search(): Promise<Server> {
    const asked = this.#servers.map(async (server) => {
      if (!this.fits(await this.#roleOf(server))) throw new Error(`is not ${this.#wanted}`);
      return server;
    });
    try {
      return await Promise.any(asked);
    } catch (error) {
      const reasons = (error as AggregateError).errors.map(messageOf);
      const each = this.#servers.map(({ host, port }, n) => `${host}:${port}: ${reasons[n]}`);
      // Worded like pg's own error, so that {@link isUnreachable} recognises it.
      throw new Error(`Connection terminated: none of the servers is there and fits (${each.join('; ')})`);
    }
  }

  async #roleOf({ host, port }: Server): Promise<Role> {
    const client = new pg.Client({
      ...this.config(),
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

/** What the driver makes of the parameters of TLS, files included. */
function tlsOf(connectionString: string): Tls {
  const client = new pg.Client({ connectionString }) as unknown as {
    ssl: Tls['ssl'];
    sslNegotiation: Tls['sslnegotiation'];
  };
  return { ssl: client.ssl, sslnegotiation: client.sslNegotiation };
}

/** The servers that a URL names; as for the driver, `host` and `port` in its query count instead of those before. */
function serversOf(hosts: string, options: URLSearchParams): Server[] {
  const ports = options.get('port')?.split(',') ?? [];
  const named = options
    .get('host')
    ?.split(',')
    .map((host) => ({ host, port: DEFAULT_PORT }));
  return (named ?? hosts.split(',').map(toServer)).map(({ host, port }, n) => ({
    host: host || 'localhost',
    port: Number(ports[n] ?? ports[0] ?? port),
  }));
}

function toServer(text: string): Server {
  const [, bracketed, plain, port] = SERVER.exec(text) ?? [];
  return { host: decodeURIComponent(bracketed ?? plain ?? ''), port: Number(port ?? DEFAULT_PORT) };
}

const known = new Map<string, Address>();

/** The address of a URL. One object per process, so that all pools learn together where the primary is. */
export function addressOf(url: string): Address {
  let address = known.get(url);
  if (address === undefined) {
    address = new Address(url);
    known.set(url, address);
  }
  return address;
}
