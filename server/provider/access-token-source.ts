/** What the client needs of whoever holds the grants (`grant/`): access tokens that live. */

/** A grant as its row says; the tokens are sealed. */
export interface HeldGrant {
  readonly grant_id: string;
  readonly refresh_token: Buffer;
  readonly access_token: Buffer | null;
  readonly access_expires_on: Date | null;
  readonly cut_off: boolean;
}

/** A refresh token that the provider called dead. */
export interface Death {
  readonly grantId: string;
  readonly characterId: number;
  /** The refresh token that was used, sealed. */
  readonly used: Buffer;
  readonly cause: string;
}

export interface Asked {
  /** An access token that the provider took for dead before its time, or that shall be replaced whatever its age. */
  readonly refused?: string | undefined;
  /** What becomes of a dead refresh token; `mark`, the default: it is invalid from now on (D34). */
  readonly dead?: 'mark' | 'leave' | ((death: Death) => void);
}

/** Access tokens of stored grants, refreshed when needed (D33, D34). */
export interface AccessTokens {
  /**
   * An access token of the grant that lives for another minute. Undefined: the refresh token is dead, or the grant
   * is gone. Throws ProviderError.
   */
  of(grant: HeldGrant, characterId: number, deadline: number, asked?: Asked): Promise<string | undefined>;
}
