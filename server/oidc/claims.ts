import type { Account, AccountClaims } from 'oidc-provider';
import type { Settings } from '../config/settings.ts';
import type { AccountRow } from './account.queries.ts';

/** The claims of each scope (D83); the scope `email` exists only when OIDC_EMAIL_DOMAIN is set. */
export const CLAIMS = {
  openid: ['sub'],
  profile: ['name', 'preferred_username', 'picture', 'corporation', 'alliance', 'clearance_level', 'main'],
  groups: ['groups', 'group_ids'],
  email: ['email', 'email_verified'],
} as const;

type ClaimSettings = Pick<Settings, 'extApi' | 'oidcEmailDomain'>;

/** An account in the library's form; the library selects the requested and granted claims. */
export function accountOf(row: AccountRow, settings: ClaimSettings): Account {
  const accountId = String(row.character_id);
  return { accountId, claims: () => ({ ...claimsOf(row, settings), sub: accountId }) };
}

function claimsOf(row: AccountRow, { extApi, oidcEmailDomain }: ClaimSettings): Omit<AccountClaims, 'sub'> {
  const { character_id, character_name, clearance_level, main, corporation, alliance, groups } = row;
  return {
    name: character_name,
    preferred_username: character_name,
    picture: `${extApi.imageUrl}/characters/${character_id}/portrait`,
    corporation,
    alliance,
    clearance_level,
    main,
    groups: groups.map(({ name }) => name),
    group_ids: groups.map(({ id }) => id),
    ...(oidcEmailDomain !== undefined && {
      email: `${character_id}@${oidcEmailDomain}`,
      email_verified: false,
    }),
  };
}
