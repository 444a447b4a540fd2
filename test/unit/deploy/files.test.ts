import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { collectDefaultMetrics } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { followBacklog, followPool, followReplica } from '../../../server/observability/gauges.ts';
import { createMetrics } from '../../../server/observability/metrics.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string) => readFile(join(ROOT, path), 'utf8');

/** Every setting in the example file. */
async function settings(): Promise<Set<string>> {
  const example = await read('.env.example');
  return new Set([...example.matchAll(/^#? ?([A-Z_]+)=/gm)].map(([, name = '']) => name));
}

/** All values of a key in an object, at any depth. */
function valuesOf(node: unknown, key: string): unknown[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) => [
    ...(name === key && !Array.isArray(node) ? [value] : []),
    ...valuesOf(value, key),
  ]);
}

async function documents(path: string): Promise<unknown[]> {
  const parsed = parseAllDocuments(await read(path), { merge: true });
  for (const { errors } of parsed as { errors: unknown[] }[]) expect(errors).toEqual([]);
  return (parsed as { toJS(): unknown }[]).map((document) => document.toJS());
}

describe('files for deployment', () => {
  it('contain only existing settings', async () => {
    const known = await settings();
    const compose = valuesOf(await documents('deploy/compose.yaml'), 'environment').map(
      (env) => env as object,
    );
    const map = valuesOf(await documents('deploy/kubernetes/castellan.yaml'), 'data').map(
      (env) => env as object,
    );
    const units = await Promise.all(
      (await readdir(join(ROOT, 'deploy/systemd'))).map((name) => read(`deploy/systemd/${name}`)),
    );
    const inUnits = units.flatMap((unit) => [...unit.matchAll(/(?<=^Environment=.*)\b([A-Z_]+)=/gm)]);
    const named = [...compose, ...map]
      .flatMap((env) => Object.keys(env))
      .concat(inUnits.map(([, name = '']) => name));
    const others = /^(POSTGRES_|CASTELLAN_)/;
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !known.has(name) && !others.test(name))).toEqual([]);
  });

  it('start programs that the production build contains', async () => {
    const texts = await Promise.all(
      ['Dockerfile', 'compose.yaml', 'kubernetes/castellan.yaml', 'systemd/castellan.service'].map((name) =>
        read(`deploy/${name}`),
      ),
    );
    const programs = new Set(
      texts.flatMap((text) => [...text.matchAll(/dist\/([\w/-]+)\.js/g)].map(([, name]) => name)),
    );
    expect([...programs].sort()).toEqual(['server/main', 'server/worker']);
    for (const name of programs) await read(`${name}.ts`);
  });

  it('exclude from the image only what its build does not need', async () => {
    const { include } = JSON.parse(await read('tsconfig.build.json'));
    const allowed = (await read('.dockerignore')).match(/(?<=^!).+$/gm) ?? [];
    expect(allowed).toEqual(
      expect.arrayContaining([
        ...include,
        'package.json',
        'package-lock.json',
        'tsconfig.json',
        'tsconfig.build.json',
      ]),
    );
    expect(allowed).not.toContain('dev');
  });

  it('use only existing metrics in alert rules and dashboard', async () => {
    const metrics = createMetrics();
    followPool(metrics, new pg.Pool());
    followBacklog(metrics, async () => ({ sync_age: 0, provider_errors_left: 0, jobs: [], crashes: 0 }));
    followReplica(metrics, async () => ({}));
    collectDefaultMetrics({ register: metrics.registry });
    const served = new Set(metrics.registry.getMetricsAsArray().map(({ name }) => name));
    const rules = valuesOf(await documents('deploy/prometheus/castellan.rules.yml'), 'expr');
    const panels = valuesOf(JSON.parse(await read('deploy/grafana/castellan.json')), 'expr');
    const named = [...rules, ...panels].flatMap((expr) =>
      [...String(expr).matchAll(/\b(?:castellan|nodejs|process)_\w+/g)].map(([name]) => name),
    );
    expect(named.length).toBeGreaterThan(30);
    const known = (name: string) => served.has(name) || served.has(name.replace(/_(count|sum|bucket)$/, ''));
    expect(named.filter((name) => !known(name))).toEqual([]);
  });
});
