import type { Parts } from '../server/parts.ts';
import { catalogue, type JobName, type Payload } from './catalogue.ts';
import { deliverSignIn } from './deliver-sign-in.ts';
import { registerAllianceMembers } from './register-alliance-members.ts';
import { revokeGrant } from './revoke-grant.ts';

type JobHandlers = { readonly [Name in JobName]: (parts: Parts, payload: Payload<Name>) => Promise<void> };

/** One handler for each job of the catalogue; the compiler refuses a job without a handler. */
const handlers: JobHandlers = {
  'deliver-sign-in': deliverSignIn,
  'register-alliance-members': registerAllianceMembers,
  'revoke-grant': revokeGrant,
};

/** Seconds between two looks into an empty queue. */
const POLL_EVERY = 1;

/** Starts working on every queue; ends with `queue.stop()`. */
export async function startWorker(parts: Parts): Promise<void> {
  for (const name of Object.keys(catalogue) as JobName[]) await work(parts, name);
}

async function work<Name extends JobName>(parts: Parts, name: Name): Promise<void> {
  const { payload, concurrency } = catalogue[name];
  const handler = handlers[name];
  // Several workers with one job each: a slow job never holds up the others of its batch.
  for (let worker = 0; worker < concurrency; worker += 1) {
    await parts.queue.boss.work(name, { batchSize: 1, pollingIntervalSeconds: POLL_EVERY }, async (jobs) => {
      for (const job of jobs) {
        try {
          await handler(parts, payload.parse(job.data) as Payload<Name>);
        } catch (error) {
          parts.log.warn({ err: error, job: name, job_id: job.id }, 'a job failed');
          // pg-boss stores what was thrown: an error of another's making may hold more than it should.
          throw new Error(`job ${job.id} failed; the log says why`);
        }
      }
    });
  }
}
