import type { contract } from '../../contract/index.ts';
import { listHeld } from '../guard/held.ts';
import type { Handlers } from '../http/mount.ts';
import type { Services } from '../services/services.ts';
import { redactSettings } from './configuration.ts';
import { listJobs, runJob } from './jobs.ts';
import { readStatus } from './status.ts';

export function systemHandlers(services: Services): Handlers<typeof contract.system> {
  return {
    configuration: async () => ({ status: 200, body: redactSettings(services.settings) }),
    status: async () => ({ status: 200, body: await readStatus(services) }),
    jobs: async () => ({ status: 200, body: await listJobs(services) }),
    held: async () => ({ status: 200, body: await listHeld(services) }),
    runJob: async ({ admission, params, query }) => ({
      status: 200,
      body: await runJob(services, admission, params.job_id, {
        force: query.force,
        approve: query.approve,
        dryRun: query.dry_run,
      }),
    }),
  };
}
