import { grantPlace } from '../server/grant/grant.queries.ts';
import type { Payload } from '../server/queue/job-catalogue.ts';
import type { Services } from '../server/services/services.ts';

/** Revokes a refresh token at the provider. */
export async function revokeGrant({ vault, sso }: Services, payload: Payload<'revoke-grant'>): Promise<void> {
  const sealed = Buffer.from(payload.refresh_token, 'base64');
  await sso.revoke(vault.open(sealed, grantPlace(payload.grant_id, 'refresh_token')));
}
