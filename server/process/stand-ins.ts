import type { Logger } from 'pino';
import { type CompleteSettings, requireComplete, type Settings } from '../config/settings.ts';
import type { Services } from '../services/services.ts';

/** What takes the place of what the settings leave out, for as long as the process runs. */
export interface StandIns {
  readonly settings: CompleteSettings;
  /** Once the service listens: tells newcomers what to do first. */
  welcome?(services: Services): Promise<{ readonly message: string; stop(): Promise<void> }>;
  stop(): Promise<void>;
}

/** `worker` and `token` run beside the service, whose stand-ins they join; `token` needs database and keys alone. */
export type StartStandIns = (
  settings: Settings,
  log: Logger,
  purpose: 'service' | 'worker' | 'token',
) => Promise<StandIns>;

/** Production's: none, so that nothing may be left out. */
export const noStandIns: StartStandIns = async (settings) => ({
  settings: requireComplete(settings),
  stop: async () => undefined,
});
