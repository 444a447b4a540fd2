import type { contract } from '../../contract/index.ts';
import { type Handlers, notImplemented } from '../http/mount.ts';
import type { Parts } from '../parts.ts';
import { redactSettings } from '../settings.ts';

export function systemHandlers({ settings }: Parts): Handlers<typeof contract.system> {
  return {
    configuration: async () => ({ status: 200, body: redactSettings(settings) }),
    jobs: notImplemented,
    runJob: notImplemented,
  };
}
