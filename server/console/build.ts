import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

/** The build of `console/` by Vite. */
export interface ConsoleBuild {
  /** The HTML page, with this nonce for its scripts and styles. */
  page(nonce: string): string;
  /** A file by its path below `/console/`. */
  file(path: string): ConsoleFile | undefined;
}

export interface ConsoleFile {
  readonly type: string;
  /** Whether its name contains a hash of its content. */
  readonly immutable: boolean;
  readonly plain: Buffer;
  /** The file as the build compressed it, best coding first. */
  readonly compressed: readonly { readonly coding: 'br' | 'gzip'; readonly content: Buffer }[];
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Two paths, because source and compiled code are at different depths. */
const FOLDERS = ['../../console/dist', '../../../console/dist'];

/** The folder of the build; undefined when it was not built. */
export function findConsoleBuild(): string | undefined {
  return FOLDERS.map((folder) => join(import.meta.dirname, folder)).find((folder) =>
    existsSync(join(folder, 'index.html')),
  );
}

/**
 * Reads a build into memory; it is small, and only its files can be requested.
 *
 * @param prefix the path of BASE_URL
 */
export function readConsoleBuild(folder: string, prefix: string): ConsoleBuild {
  const files = new Map<string, ConsoleFile>();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = name.replaceAll('\\', '/');
    const type = TYPES[extname(path)];
    if (type !== undefined) files.set(path, fileOf(join(folder, name), type, path));
  }
  const index = readFileSync(join(folder, 'index.html'), 'utf8')
    .replaceAll('="./', `="${prefix}/console/`)
    .replaceAll('__PREFIX__', prefix);
  return {
    page: (nonce) => index.replaceAll('__NONCE__', nonce),
    file: (path) => files.get(path),
  };
}

const CODINGS = [
  { coding: 'br', extension: '.br' },
  { coding: 'gzip', extension: '.gz' },
] as const;

function fileOf(path: string, type: string, name: string): ConsoleFile {
  const present = CODINGS.filter(({ extension }) => existsSync(path + extension));
  return {
    type,
    immutable: name.startsWith('assets/'),
    plain: readFileSync(path),
    compressed: present.map(({ coding, extension }) => ({ coding, content: readFileSync(path + extension) })),
  };
}
