import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** What Vite made of `console/`. */
export interface ConsoleBuild {
  /** The page that everything else is loaded from, for an answer with this nonce. */
  page(nonce: string): string;
  /** A file by its path below `/console/`. */
  file(path: string): ConsoleFile | undefined;
}

export interface ConsoleFile {
  readonly type: string;
  /** Whether its name changes with its content. */
  readonly immutable: boolean;
  readonly plain: Buffer;
  /** Compressed when it is first asked for. */
  compressed(): Promise<Buffer>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Source and compiled code lie at different depths. */
const FOLDERS = ['../../console/dist', '../../../console/dist'];

/** The folder with the build, or undefined where it was not built. */
export function findConsoleBuild(): string | undefined {
  return FOLDERS.map((folder) => join(import.meta.dirname, folder)).find((folder) =>
    existsSync(join(folder, 'index.html')),
  );
}

/**
 * Reads a build into memory: it is small, and what is not in it cannot be asked for.
 *
 * @param prefix the path of BASE_URL, below which browsers find the service
 */
export function readConsoleBuild(folder: string, prefix: string): ConsoleBuild {
  const files = new Map<string, ConsoleFile>();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = name.replaceAll('\\', '/');
    const type = TYPES[extname(path)];
    if (type !== undefined) files.set(path, fileOf(readFileSync(join(folder, name)), type, path));
  }
  const index = readFileSync(join(folder, 'index.html'), 'utf8')
    .replaceAll('="./', `="${prefix}/console/`)
    .replaceAll('__PREFIX__', prefix);
  return {
    page: (nonce) => index.replaceAll('__NONCE__', nonce),
    file: (path) => files.get(path),
  };
}

const squeeze = promisify(gzip);

function fileOf(plain: Buffer, type: string, path: string): ConsoleFile {
  let small: Promise<Buffer> | undefined;
  return {
    type,
    immutable: path.startsWith('assets/'),
    plain,
    compressed: () => {
      small ??= squeeze(plain);
      return small;
    },
  };
}
