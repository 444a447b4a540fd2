import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../../harness/instance.ts';

export interface Proxy {
  /** Waits until it sends requests to so many of its servers. */
  untilUp(servers: number): Promise<void>;
  /** What it logged: requests that went wrong, with where and how, and servers that went and came. */
  readonly log: readonly string[];
  stop(): Promise<void>;
}

/** HAProxy by the very file that is shipped, but for its addresses, in front of API processes at these ports. */
export async function startProxy(folder: string, port: number, apis: readonly number[]): Promise<Proxy> {
  const socket = join(folder, 'haproxy.sock');
  const [shipped = ''] = (await readFile(join(ROOT, 'deploy/haproxy.cfg'), 'utf8')).split('# Not needed');
  const config = shipped
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replace(/10\.0\.0\.(\d+):8080/g, (_, n) => `127.0.0.1:${apis[Number(n) - 1]}`)
    .replace(
      'maxconn 20000',
      `maxconn 2000\n    stats socket ${socket}\n    log stderr format raw local0 info`,
    )
    .replace('mode http', 'mode http\n    log global\n    option httplog\n    option dontlog-normal');
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, config);
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  const log: string[] = [];
  createInterface(child.stderr).on('line', (line) => void log.push(line));
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  return {
    log,
    async untilUp(servers) {
      while ((await serversUp(socket)) !== servers) {
        if (child.exitCode !== null) throw new Error('HAProxy ended');
        await sleep(50);
      }
    },
    async stop() {
      kill();
      await ended(child);
      process.off('exit', kill);
    },
  };
}

async function serversUp(path: string): Promise<number> {
  const socket = connect(path);
  socket.on('error', () => undefined);
  socket.end('show stat\n');
  const stat = await text(socket).catch(() => '');
  return stat.split('\n').filter((line) => /^api,api\d,/.test(line) && line.includes(',UP,')).length;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
