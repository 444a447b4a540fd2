import type { contract } from '../../contract/index.ts';
import type { Handlers } from '../http/mount.ts';
import type { Parts } from '../services/services.ts';
import { redactSettings } from './configuration.ts';
import { listJobs, runJob } from './jobs.ts';

export function systemHandlers(parts: Parts): Handlers<typeof contract.system> {
  return {
    configuration: async () => ({ status: 200, body: redactSettings(parts.settings) }),
    jobs: async () => ({ status: 200, body: listJobs(parts) }),
    runJob: async ({ params, query }) => ({
      status: 200,
      body: await runJob(parts, params.job_id, { force: query.force, dryRun: query.dry_run }),
    }),
  };
}
