import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import type { OpenApiDocument } from '../../contract/openapi.ts';

export interface Version {
  readonly version: string;
  /** Null when COMMIT is not set and there is no repository to read it from. */
  readonly commit: string | null;
  /** SHA-256 of the contract, so that equal contracts have equal hashes. */
  readonly contract: string;
}

/**
 * The running version (D72). The commit is read from the repository, or from COMMIT where the program runs without it.
 */
export async function describeVersion(
  { servers: _, info, ...promised }: OpenApiDocument,
  commit: string | undefined,
): Promise<Version> {
  return {
    version: info.version,
    commit: commit ?? (await checkedOutCommit()),
    contract: createHash('sha256').update(JSON.stringify(promised)).digest('hex'),
  };
}

async function checkedOutCommit(): Promise<string | null> {
  const git = promisify(execFile)('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname });
  return git.then(
    ({ stdout }) => stdout.trim(),
    () => null,
  );
}
