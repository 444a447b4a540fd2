import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../consumer.ts';
import { makeBase } from './base.ts';
import { runWithin } from './container.ts';
import { type Instruction, ignoring, readDockerfile } from './dockerfile.ts';

const run = promisify(execFile);

/** A stage of a build; the last one is the image. */
export interface Stage {
  /** The folder that holds its file system. */
  readonly root: string;
  readonly env: Record<string, string>;
  readonly volumes: string[];
  workdir: string;
  user: string;
  command: readonly string[];
  healthcheck: readonly string[];
}

/** Executes the instructions of deploy/Dockerfile on the checkout, in folders below this one. */
export async function buildImage(folder: string): Promise<Stage> {
  const instructions = readDockerfile(await readFile(join(ROOT, 'deploy/Dockerfile'), 'utf8'));
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const instruction of instructions) {
    if (instruction.keyword === 'FROM') {
      const [image = '', , name = `stage ${stages.size}`] = instruction.words;
      stage = await startStage(folder, image, stages.size);
      stages.set(name, stage);
    } else if (stage === undefined) throw new Error(`${instruction.keyword} before FROM`);
    else await execute(instruction, stage, stages);
  }
  if (stage === undefined) throw new Error('the Dockerfile has no stage');
  return stage;
}

async function startStage(folder: string, image: string, number: number): Promise<Stage> {
  const base = join(folder, image.replace(':', '-'));
  if (!(await exists(base))) await makeBase(image, base);
  const root = join(folder, `stage-${number}`);
  await run('cp', ['--archive', base, root]);
  return { root, env: {}, volumes: [], workdir: '/', user: 'root', command: [], healthcheck: [] };
}

async function execute(
  instruction: Instruction,
  stage: Stage,
  stages: ReadonlyMap<string, Stage>,
): Promise<void> {
  const { keyword, flags, words, text } = instruction;
  const [first = ''] = words;
  switch (keyword) {
    case 'WORKDIR':
      stage.workdir = resolve(stage.workdir, first);
      await mkdir(join(stage.root, stage.workdir), { recursive: true });
      return;
    case 'COPY':
      if (flags.from === undefined) return copyFromCheckout(words, stage);
      return copyFromStage(words, stages.get(flags.from), stage);
    case 'RUN':
      await runWithin(stage.root, ['sh', '-c', text], {
        env: { ...stage.env, HOME: '/root', ...(await npmSettings()) },
        workdir: stage.workdir,
        borrowed: { '/root/.npm': await npmConfig('cache') },
      });
      return;
    case 'ENV':
      for (const word of words) {
        const [name = '', ...value] = word.split('=');
        stage.env[name] = value.join('=');
      }
      return;
    case 'VOLUME':
      for (const place of words) await mkdir(join(stage.root, place), { recursive: true });
      stage.volumes.push(...words);
      return;
    case 'USER':
      stage.user = first;
      return;
    case 'HEALTHCHECK':
      stage.healthcheck = JSON.parse(text.replace(/^CMD /, ''));
      return;
    case 'CMD':
      stage.command = JSON.parse(text);
      return;
    // It says something to people, and changes nothing.
    case 'EXPOSE':
      return;
    default:
      throw new Error(`${keyword} is not known here`);
  }
}

async function copyFromCheckout(words: readonly string[], { root, workdir }: Stage): Promise<void> {
  const into = join(root, resolve(workdir, words.at(-1) ?? ''));
  const sent = await buildContext();
  for (const source of words.slice(0, -1)) {
    const files = source === '.' ? sent : sent.filter((path) => path === source);
    if (files.length === 0) throw new Error(`there is no ${source}, or .dockerignore leaves it out`);
    for (const path of files) {
      const to = join(into, source === '.' ? path : basename(path));
      await mkdir(dirname(to), { recursive: true });
      await copyFile(join(ROOT, path), to);
    }
  }
}

async function copyFromStage(words: readonly string[], from: Stage | undefined, to: Stage): Promise<void> {
  if (from === undefined) throw new Error('COPY from a stage that there is not');
  const [source = '', target = ''] = words;
  const [path, into] = [join(from.root, source), join(to.root, resolve(to.workdir, target))];
  const folder = (await stat(path)).isDirectory();
  await mkdir(into, { recursive: true });
  await run('cp', ['--archive', folder ? `${path}/.` : path, into]);
}

/** The files that Docker is sent: those of the checkout that .dockerignore leaves in. */
async function buildContext(): Promise<string[]> {
  const ignored = ignoring(await readFile(join(ROOT, '.dockerignore'), 'utf8'));
  const filesIn = async (folder: string): Promise<string[]> => {
    const entries = await readdir(join(ROOT, folder), { withFileTypes: true });
    const lists = entries.map((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return ['node_modules', '.git'].includes(entry.name) ? [] : filesIn(path);
      return ignored(path) ? [] : [path];
    });
    return (await Promise.all(lists)).flat();
  };
  return filesIn('');
}

/** What npm needs to know here to reach its registry. */
async function npmSettings(): Promise<Record<string, string>> {
  return {
    npm_config_registry: await npmConfig('registry'),
    NODE_EXTRA_CA_CERTS: '/etc/ssl/certs/ca-certificates.crt',
  };
}

async function npmConfig(name: string): Promise<string> {
  const { stdout } = await run('npm', ['config', 'get', name], { cwd: ROOT });
  return stdout.trim();
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
