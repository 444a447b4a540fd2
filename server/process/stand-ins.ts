import type { Logger } from 'pino';
import { type CompleteSettings, requireComplete, type Settings } from '../config/settings.ts';
import type { Services } from '../services/services.ts';

/** Replacements for services that the settings do not name, such as the database; they run as long as the process. */
export interface StandIns {
  readonly settings: CompleteSettings;
  /** Called when the service listens; returns a message for newcomers on what to do first. */
  welcome?(services: Services): Promise<{ readonly message: string; stop(): Promise<void> }>;
  stop(): Promise<void>;
}

/**
 * All but `service` run beside the service and use its stand-ins; `first-token` and `token` need only the database and
 * the keys. `doctor` and `token` are about what a database holds, so they never make one.
 */
export type Purpose = 'service' | 'worker' | 'doctor' | 'first-token' | 'token';

export type StartStandIns = (settings: Settings, log: Logger, purpose: Purpose) => Promise<StandIns>;

/** Production has no stand-ins, so the settings must be complete. */
export const noStandIns: StartStandIns = async (settings) => ({
  settings: requireComplete(settings),
  stop: async () => undefined,
});
