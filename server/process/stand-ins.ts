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

/** `worker` and `token` run beside the service and use its stand-ins; `token` needs only the database and the keys. */
export type StartStandIns = (
  settings: Settings,
  log: Logger,
  purpose: 'service' | 'worker' | 'token',
) => Promise<StandIns>;

/** Production has no stand-ins, so the settings must be complete. */
export const noStandIns: StartStandIns = async (settings) => ({
  settings: requireComplete(settings),
  stop: async () => undefined,
});
