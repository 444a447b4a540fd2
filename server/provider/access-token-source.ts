/** What the client needs from the module that holds the grants (`grant/`): valid access tokens. */

/** A grant's row; its tokens are encrypted. */
export interface HeldGrant {
  readonly grant_id: string;
  readonly refresh_token: Buffer;
  readonly access_token: Buffer | null;
  readonly access_expires_on: Date | null;
  readonly cut_off: boolean;
}

/** A refresh token that the provider declared invalid. */
export interface Death {
  readonly grantId: string;
  readonly characterId: number;
  /** The refresh token that was used, encrypted. */
  readonly used: Buffer;
  readonly cause: string;
}

export interface Asked {
  /** An access token that the provider refused before its expiry, or that is to be replaced whatever its age. */
  readonly refused?: string | undefined;
  /** What to do with an invalid refresh token; `mark`, the default, stores at once that it is invalid (D34). */
  readonly dead?: 'mark' | 'leave' | ((death: Death) => void);
}

/** Access tokens of stored grants, refreshed when needed (D33, D34). */
export interface AccessTokens {
  /**
   * An access token of the grant that is valid for at least another minute. Undefined when the refresh token is invalid,
   * it names another owner of the character than the one who signed in (D29b), or the grant was deleted.
   *
   * @throws ProviderError
   */
  of(grant: HeldGrant, characterId: number, deadline: number, asked?: Asked): Promise<string | undefined>;
}
