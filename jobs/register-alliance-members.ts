import { registerMembers } from '../server/alliance/alliance.ts';
import type { Payload } from '../server/queue/catalogue.ts';
import type { Parts } from '../server/services/services.ts';

/** Registers the corporations of an alliance that was just registered (D39); what fails is tried again. */
export async function registerAllianceMembers(
  parts: Parts,
  payload: Payload<'register-alliance-members'>,
): Promise<void> {
  await registerMembers(parts, payload.alliance_id);
}
