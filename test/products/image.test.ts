import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createClient, ok } from '../../sdk/src/index.ts';
import { onDatabase, productionEnv } from '../harness/production.ts';
import { startProxy } from '../harness/proxy.ts';
import { buildImage, type Stage } from './image/build.ts';
import { type Contained, runWithin, startWithin } from './image/container.ts';

let folder: string;
let image: Stage;
/** Paths of all files of the program, below /app. */
let files: readonly string[];
const started: Contained[] = [];

beforeAll(async () => {
  folder = await mkdtemp('/tmp/castellan-image-');
  image = await buildImage(folder);
  const entries = await readdir(join(image.root, 'app'), { recursive: true, withFileTypes: true });
  const below = join(image.root, 'app').length + 1;
  files = entries
    .filter((entry) => entry.isFile())
    .map((file) => join(file.parentPath, file.name).slice(below));
});
afterAll(async () => {
  await Promise.all(started.map((program) => program.kill()));
  await rm(folder, { recursive: true, force: true });
});

type Environment = Readonly<Record<string, string>>;

const within = (env: Environment) => ({ ...image, env: { ...image.env, ...env } });
function start(command: readonly string[], env: Environment): Contained {
  const program = startWithin(image.root, command, within(env));
  started.push(program);
  return program;
}
const run = (command: readonly string[], env: Environment) => runWithin(image.root, command, within(env));

/** Sends SIGTERM; gives the exit code, and how many seconds that took. */
async function stop(program: Contained): Promise<{ code: number | null; seconds: number }> {
  const began = performance.now();
  process.kill(await program.pid(), 'SIGTERM');
  return { code: await program.ended, seconds: (performance.now() - began) / 1000 };
}

/** Rights of a process, as its kernel states them. */
async function rightsOf(program: Contained): Promise<Record<string, string>> {
  const status = await readFile(`/proc/${await program.pid()}/status`, 'utf8');
  const lines = status.matchAll(/^(Uid|Gid|Groups|CapEff|CapBnd|NoNewPrivs):\t(.*?)\s*$/gm);
  return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]));
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return String(port);
}

const mebibytes = (...paths: readonly string[]) => {
  const { stdout } = spawnSync('du', ['--summarize', '--block-size=1M', join(image.root, ...paths)]);
  return Number.parseInt(String(stdout), 10);
};

describe('what the Dockerfile makes', () => {
  it('holds the bundled programs: no source, no test, no package, nothing of development, no secret', async () => {
    expect(files).toEqual(
      expect.arrayContaining([
        'package.json',
        'dist/server/main.js',
        'dist/server/worker.js',
        'dist/server/cli/doctor.js',
        'dist/docs/operating.md',
        'dist/openapi.yaml',
        'console/dist/index.html',
      ]),
    );
    expect(files.filter((path) => !/^(package\.json|(console\/)?dist\/.+)$/.test(path))).toEqual([]);
    expect(files.filter((path) => /\.tsx?$|(^|\/)(dev|test|simulated)\//.test(path))).toEqual([]);
    expect(files.filter((path) => /(^|\/)\.(env|npmrc)$/.test(path))).toEqual([]);
    const maps = files.filter((path) => path.endsWith('.map'));
    const texts = await Promise.all(maps.map((path) => readFile(join(image.root, 'app', path), 'utf8')));
    expect(maps.filter((_, index) => texts[index]?.includes('"sourcesContent"'))).toEqual([]);
  });

  it('runs as nobody in particular, on a file system that it cannot write to, and ends when it is told', async () => {
    await onDatabase('empty', async (databaseUrl) => {
      const { url } = await startProxy(databaseUrl);
      const port = await freePort();
      const env = { ...(await productionEnv()), DATABASE_URL: url, PORT: port, WORKERS: 'none' };
      const api = start(image.command, env);
      const baseUrl = `http://127.0.0.1:${port}`;
      await Promise.race([
        vi.waitFor(
          async () => expect(await fetch(`${baseUrl}/readyz`)).toMatchObject({ status: 200 }),
          60_000,
        ),
        api.ended.then((code) => expect.fail(`it ended with ${code}: ${api.output.text}`)),
      ]);
      expect(await rightsOf(api)).toEqual({
        Uid: '1000\t1000\t1000\t1000',
        Gid: '1000\t1000\t1000\t1000',
        Groups: '',
        CapEff: '0000000000000000',
        CapBnd: '0000000000000000',
        NoNewPrivs: '1',
      });
      await expect(run(['sh', '-c', 'echo x >/home/node/x'], env)).rejects.toThrow('Read-only file system');
      await run(image.healthcheck, env);

      const token = (await run(['node', 'dist/server/cli/token.js'], env)).trim();
      const caller = await ok(createClient({ baseUrl, token }).token.current());
      expect(caller).toMatchObject({ token_type: 'per', owner: { character_id: 0, clearance_level: 10 } });
      for (const path of ['/docs', '/docs/guides/operating', '/docs/page.css', '/console/']) {
        expect((await fetch(baseUrl + path)).status, path).toBe(200);
      }

      const worker = start(['node', 'dist/server/worker.js'], env);
      await vi.waitFor(() => expect(worker.output.text).toContain('"working"'), 60_000);
      for (const program of [worker, api]) {
        const { code, seconds } = await stop(program);
        expect({ code, output: program.output.text }).toMatchObject({ code: 0 });
        expect(seconds).toBeLessThan(10);
      }
      await expect(run(image.healthcheck, env)).rejects.toThrow('ended with 1');
    });
    const [all, app] = [mebibytes(''), mebibytes('app')];
    const parts = ['dist', 'console'].map((part) => `${part} ${mebibytes('app', part)}`);
    process.stdout.write(`MiB: system and Node.js ${all - app}, program ${app} (${parts.join(', ')})\n`);
  });
});
