import { access, constants, mkdir, realpath } from 'node:fs/promises';
import { CannotStart } from '../shared/cannot-start.ts';

/**
 * Creates DATA_DIR when it is missing and resolves symbolic links, so that a folder has one name.
 *
 * @throws CannotStart when it cannot be created or written
 */
export async function openDataDir(dataDir: string): Promise<string> {
  try {
    await mkdir(dataDir, { recursive: true });
    await access(dataDir, constants.W_OK | constants.X_OK);
    return await realpath(dataDir);
  } catch (error) {
    throw new CannotStart(
      `DATA_DIR cannot be used: ${(error as Error).message}. Set it to a folder that can be written, or set what would be kept there: DATABASE_URL, TOKEN_SIGNING_KEYS and ENCRYPTION_KEYS.`,
    );
  }
}
