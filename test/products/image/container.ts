import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';

/** How a program runs in a root folder. */
export interface Within {
  readonly env: Readonly<Record<string, string>>;
  readonly workdir: string;
  /** Without a user it runs as root and may write: a step of a build. */
  readonly user?: string;
  /** Where memory is mounted. */
  readonly volumes?: readonly string[];
  /** Folders of this machine, by where they are mounted. */
  readonly borrowed?: Readonly<Record<string, string>>;
}

export interface Contained {
  /** Id of the program itself, which is process 1 of its own namespace. */
  pid(): Promise<number>;
  readonly output: { text: string };
  /** Exit code. */
  readonly ended: Promise<number | null>;
  /** Ends it, if it still runs, with all that it started. */
  kill(): Promise<unknown>;
}

/** All mounts are made in a namespace of the program's own, so that none of them outlives it. */
const ENTER = `
set -e
root=$1; shift
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero full random urandom; do
  : >"$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
ln -s /proc/self/fd "$root/dev/fd"
while [ "$1" = borrow ]; do mkdir -p "$root$3"; mount --bind "$2" "$root$3"; shift 3; done
while [ "$1" = volume ]; do mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs "$root$2"; shift 2; done
if [ "$1" = read-only ]; then shift; mount -o remount,bind,ro "$root"; fi
exec chroot "$root" "$@"`;

const NAMESPACES = ['--mount', '--pid', '--ipc', '--uts', '--fork', '--kill-child'];
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Starts a program in a root folder, with as few rights as a container has there. Needs root. */
export function startWithin(root: string, command: readonly string[], within: Within): Contained {
  const { env, workdir, user, volumes = [], borrowed = {} } = within;
  const unprivileged = `--reuid=${user} --regid=${user} --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs`;
  const child = spawn('unshare', [
    ...NAMESPACES,
    ...['sh', '-c', ENTER, 'enter', root],
    ...Object.entries(borrowed).flatMap(([to, from]) => ['borrow', from, to]),
    ...volumes.flatMap((place) => ['volume', place]),
    ...(user === undefined ? [] : ['read-only', 'setpriv', ...unprivileged.split(' ')]),
    ...['env', '-i', '-C', workdir],
    ...Object.entries({ PATH, ...env }).map(([name, value]) => `${name}=${value}`),
    ...command,
  ]);
  const output = { text: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output.text += text;
    });
  }
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const kill = () => {
    child.kill('SIGKILL');
    return ended;
  };
  return { pid: () => onlyChild(child), output, ended, kill };
}

/** Runs a program to its end and gives what it printed; throws with it when the program fails. */
export async function runWithin(root: string, command: readonly string[], within: Within): Promise<string> {
  const { output, ended } = startWithin(root, command, within);
  const code = await ended;
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}:\n${output.text}`);
  return output.text;
}

async function onlyChild({ pid }: ChildProcess): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return Number(children);
}
