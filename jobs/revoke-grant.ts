import { grantBinding } from '../server/grant/grant.queries.ts';
import type { Payload } from '../server/queue/job-catalogue.ts';
import type { Services } from '../server/services/services.ts';

/** Revokes a refresh token at the provider. */
export async function revokeGrant({ vault, sso }: Services, payload: Payload<'revoke-grant'>): Promise<void> {
  const encrypted = Buffer.from(payload.refresh_token, 'base64');
  await sso.revoke(vault.decrypt(encrypted, grantBinding(payload.grant_id, 'refresh_token')));
}
