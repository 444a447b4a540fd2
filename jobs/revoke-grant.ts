import type { Parts } from '../server/parts.ts';
import { grantPlace } from '../server/sign-in/grant.queries.ts';
import type { Payload } from './catalogue.ts';

/** Tells the provider that a refresh token is no longer wanted. */
export async function revokeGrant({ vault, sso }: Parts, payload: Payload<'revoke-grant'>): Promise<void> {
  const sealed = Buffer.from(payload.refresh_token, 'base64');
  await sso.revoke(vault.open(sealed, grantPlace(payload.grant_id, 'refresh_token')));
}
