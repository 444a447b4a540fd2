import type { EventEmitter } from 'node:events';
import pg from 'pg';
import { type Address, addressOf } from './address.ts';
import { codeOf, isUnreachable } from './errors.ts';

export interface RoutedClientConfig extends pg.ClientConfig {
  readonly address?: Address;
}

type Connected = (error?: Error) => void;

/** SQLSTATE of a write to a read-only server: the primary has become a replica. */
const READ_ONLY = '25006';

/** Startup settings that poolers such as PgBouncer reject. */
const SESSION_SETTINGS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];

/** Settings that PostgreSQL reports to every session at its start, and with the next answer when they change. */
const ROLE_SETTINGS: readonly string[] = ['in_hot_standby', 'default_transaction_read_only'];

/** A connection to the server of the wanted kind among those in DATABASE_URL. */
export class RoutedClient extends pg.Client {
  /** Whether its server has changed its role, and is not of the wanted kind any more: to be closed after this use. */
  misplaced = false;
  readonly #address: Address;

  constructor(config: RoutedClientConfig = {}) {
    const address = config.address ?? addressOf(config.connectionString ?? '');
    super({ ...config, ...address.config() });
    this.#address = address;
    this.#followRole();
    // Statements are told of a loss themselves; where none waits, it would end the process. A pool listens only while a
    // connection is idle, and not yet as it becomes ready.
    this.on('error', () => undefined);
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.Client> | undefined {
    const connected = this.#connect();
    if (callback === undefined) return connected;
    connected.then(() => callback(), callback);
    return undefined;
  }

  async #connect(): Promise<pg.Client> {
    try {
      const server = await this.#address.locate();
      if (server !== undefined) Object.assign(this, server);
      return (await super.connect()) as unknown as pg.Client;
    } catch (error) {
      this.learnFrom(error);
      throw error;
    }
  }

  /** A replica that becomes the primary keeps its connections. */
  #followRole(): void {
    const settings = new Map<string, boolean>();
    const { connection } = this as unknown as { connection: EventEmitter };
    connection.on('parameterStatus', (told: { parameterName: string; parameterValue: string }) => {
      if (!ROLE_SETTINGS.includes(told.parameterName)) return;
      settings.set(told.parameterName, told.parameterValue === 'on');
      if (settings.size < ROLE_SETTINGS.length) return;
      const replica = settings.get('in_hot_standby') === true;
      const readOnly = replica || settings.get('default_transaction_read_only') === true;
      if (this.#address.fits({ replica, readOnly })) return;
      this.misplaced = true;
      this.#address.forget();
    });
  }

  /**
   * Derives from an error what to do differently next time: search the server again, or send no settings to a pooler.
   */
  protected learnFrom(error: unknown): void {
    if (isUnreachable(error) || codeOf(error) === READ_ONLY) this.#address.forget();
    if (/unsupported startup parameter/.test((error as Error).message)) this.#address.bare = true;
  }

  /** Closes the connection without a Terminate message; statements that wait on it get an error. */
  destroy(): void {
    const { connection } = this as unknown as { connection: { stream: { destroy(): void } } };
    connection.stream.destroy();
  }

  /** pg's internal method, missing in its types: the settings of the startup message. */
  getStartupConf(): Record<string, string> {
    const base = pg.Client.prototype as unknown as { getStartupConf(): Record<string, string> };
    const settings = base.getStartupConf.call(this);
    if (!this.#address.bare) return settings;
    return Object.fromEntries(Object.entries(settings).filter(([name]) => !SESSION_SETTINGS.includes(name)));
  }
}
