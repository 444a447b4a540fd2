import { execFile, spawn } from 'node:child_process';
import { lchown, readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { CannotStart } from '../../server/shared/cannot-start.ts';

/** The system account that runs PostgreSQL: PostgreSQL refuses to run as root. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
  /** Whether it differs from this process's account. */
  readonly foreign: boolean;
}

/** A command's outcome; `output` is its standard output and error together. */
export interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

const PREFERRED = ['postgres', 'castellan'];

/**
 * The account to run PostgreSQL: the owner of the cluster's folder if it exists, this process's own account or, as
 * root, `postgres`, `castellan` (created when missing) or `nobody`.
 */
export async function chooseAccount(dataFolder: string): Promise<Account> {
  const uid = process.getuid?.() ?? 0;
  const gid = process.getgid?.() ?? 0;
  if (uid !== 0) return { uid, gid, foreign: false };
  const owner = await stat(dataFolder).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid, foreign: true };
  const account =
    (await findAccount(PREFERRED)) ?? ((await createAccount()) ? await findAccount(PREFERRED) : undefined);
  const chosen = account ?? (await findAccount(['nobody']));
  if (!chosen) {
    throw new CannotStart(
      'PostgreSQL refuses to run as root and no other account was found: start as another user.',
    );
  }
  return chosen;
}

/** Read from /etc/passwd, because initdb requires the account to be listed there. */
async function findAccount(names: readonly string[]): Promise<Account | undefined> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => ''))
    .split('\n')
    .map((line) => line.split(':'));
  for (const name of names) {
    const entry = lines.find((fields) => fields[0] === name);
    const [uid, gid] = [Number(entry?.[2]), Number(entry?.[3])];
    if (entry && uid > 0 && gid >= 0) return { uid, gid, foreign: true };
  }
  return undefined;
}

/** Debian and most others have useradd, Alpine's busybox adduser; by path, because PATH may lack /usr/sbin. */
async function createAccount(): Promise<boolean> {
  const run = promisify(execFile);
  const attempts: [string, string[]][] = [
    ['/usr/sbin/useradd', ['--system', '--no-create-home', '--shell', '/usr/sbin/nologin', 'castellan']],
    ['/usr/sbin/adduser', ['-S', '-H', '-D', '-s', '/sbin/nologin', 'castellan']],
  ];
  for (const [command, args] of attempts) {
    const made = await run(command, args).then(
      () => true,
      () => false,
    );
    if (made) return true;
  }
  return false;
}

/** Gives a file or folder to the account; nothing to do when it is our own. */
export async function giveTo(account: Account, path: string): Promise<void> {
  if (account.foreign) await lchown(path, account.uid, account.gid);
}

/**
 * Runs a command as the account, in a session of its own: a terminal's Ctrl-C reaches every process of the
 * foreground group, and PostgreSQL must outlive it until we stop it. Never rejects.
 */
export function runAs(
  account: Account,
  command: string,
  args: readonly string[],
  options: { cwd?: string; logTo?: number; environment?: Readonly<Record<string, string>> } = {},
): Promise<Outcome> {
  return new Promise((resolve) => {
    const out = options.logTo ?? 'pipe';
    const child = spawn(command, args, {
      cwd: options.cwd ?? '/',
      detached: true,
      stdio: ['ignore', out, out],
      // A clean environment: no PG* variables of the caller, and messages in English.
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC', ...options.environment },
      ...(account.foreign && { uid: account.uid, gid: account.gid }),
    });
    let output = '';
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.on('error', (error) => resolve({ code: null, output: error.message }));
    child.on('close', (code) => resolve({ code, output: output.trim() }));
  });
}
