import { registerMembers } from '../server/alliance/alliance.ts';
import type { Payload } from '../server/queue/job-catalogue.ts';
import type { Services } from '../server/services/services.ts';

/** Registers the corporations of an alliance that was just registered (D39); retried after a failure. */
export async function registerAllianceMembers(
  services: Services,
  payload: Payload<'register-alliance-members'>,
): Promise<void> {
  await registerMembers(services, payload.alliance_id);
}
