import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import type { OpenApiDocument } from '../../contract/openapi.ts';

export interface Version {
  readonly version: string;
  /** Null where it is neither set nor to be seen. */
  readonly commit: string | null;
  /** SHA-256 of the contract: the same wherever the same is promised. */
  readonly contract: string;
}

/** Which version this is (D72); an installation without its repository is told its commit by COMMIT. */
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
