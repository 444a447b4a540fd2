import { createHmac, randomBytes } from 'node:crypto';

/** What a refresh token stands for. */
export interface Grant {
  readonly characterId: number;
  readonly scopes: readonly string[];
  /** Owner hash at sign-in: the grant dies when the character gets another owner, unless the hand-over lets it live on. */
  readonly owner: string;
}

/**
 * Refresh tokens carry their grant, signed with a key made of the application's secret and the world's seed, so
 * that those in a developer's database still work after a restart of the simulator. Only dead ones are kept.
 */
export interface RefreshTokens {
  issue(grant: Grant): string;
  /** undefined when the token is unknown or dead. */
  open(token: string): Grant | undefined;
  kill(token: string): void;
}

export function createRefreshTokens(clientSecret: string, seed: number): RefreshTokens {
  const dead = new Set<string>();
  const sign = (content: string) =>
    createHmac('sha256', `${seed}:${clientSecret}`).update(content).digest('base64url');
  function open(token: string): Grant | undefined {
    const [content = '', signature] = token.split('.');
    if (signature !== sign(content) || dead.has(token)) return undefined;
    return JSON.parse(Buffer.from(content, 'base64url').toString()) as Grant;
  }
  return {
    open,
    issue(grant) {
      const content = Buffer.from(JSON.stringify({ ...grant, nonce: randomBytes(9).toString('base64url') }));
      const encoded = content.toString('base64url');
      return `${encoded}.${sign(encoded)}`;
    },
    kill(token) {
      if (open(token) !== undefined) dead.add(token);
    },
  };
}
