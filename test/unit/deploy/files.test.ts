import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ipaddr from 'ipaddr.js';
import pg from 'pg';
import { collectDefaultMetrics, Histogram } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { READER_LIMITS } from '../../../server/http/slow-readers.ts';
import {
  followBacklog,
  followPool,
  followProcesses,
  followReplica,
} from '../../../server/observability/gauges.ts';
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

interface ComposeFile {
  readonly services: {
    readonly [name: string]: { readonly logging?: object; readonly environment?: Record<string, string> };
  };
  readonly networks: {
    readonly default: {
      readonly enable_ipv6?: boolean;
      readonly ipam: { readonly config: readonly { readonly subnet: string }[] };
    };
  };
}

interface PrometheusFile {
  readonly scrape_configs: readonly {
    readonly job_name: string;
    readonly relabel_configs: readonly { readonly regex?: string; readonly action?: string }[];
  }[];
}

/** Labels of every scraped series; a metric's own `job` becomes `exported_job`. */
const OF_PROMETHEUS = ['job', 'instance'];

/** The metrics that a process serves, as Prometheus names their series, each with its labels. */
function servedMetrics(): ReadonlyMap<string, readonly string[]> {
  const metrics = createMetrics();
  followPool(metrics, new pg.Pool());
  followBacklog(metrics, async () => ({ sync_age: 0, provider_errors_left: 0, jobs: [], crashes: 0 }));
  followReplica(metrics, async () => ({}));
  followProcesses(metrics, 2, () => 2);
  collectDefaultMetrics({ register: metrics.registry });
  return new Map<string, readonly string[]>(
    metrics.registry.getMetricsAsArray().flatMap((metric) => {
      const { name, labelNames = [] } = metric as { name: string; labelNames?: readonly string[] };
      const labels = labelNames.map((label) => (label === 'job' ? 'exported_job' : label));
      const ends = metric instanceof Histogram ? ['_count', '_sum', '_bucket'] : [];
      const series = ends.map((end): [string, string[]] => [`${name}${end}`, [...labels, 'le']]);
      return [[name, labels] as [string, string[]], ...series];
    }),
  );
}

/** The expressions of all alert rules and panels. */
async function expressions(): Promise<string[]> {
  const rules = valuesOf(await documents('deploy/prometheus/castellan.rules.yml'), 'expr');
  const panels = valuesOf(JSON.parse(await read('deploy/grafana/castellan.json')), 'expr');
  return [...rules, ...panels].map(String);
}

/** The metrics in an expression, each with its selector. */
function metricsIn(expr: string): [name: string, selector: string][] {
  const found = expr.matchAll(/\b((?:castellan|nodejs|process)_\w+)(\{[^}]*\})?/g);
  return [...found].map(([, name = '', selector = '']) => [name, selector]);
}

describe('files for deployment', () => {
  it('wake nobody while only the game is away: its 502s and 504s are not among the failures', async () => {
    const rules = await read('deploy/prometheus/castellan.rules.yml');
    const [, fails = ''] = /alert: CastellanFails([\s\S]*?)for:/.exec(rules) ?? [];
    const excluded = [...fails.matchAll(/route!~"([^"]*)"/g)].map(
      ([, routes]) => new RegExp(`^(?:${routes})$`),
    );
    expect(excluded).toHaveLength(2);
    for (const routes of excluded) {
      for (const asksTheGame of ['/ext/:esi_path', '/ext/history/characters/:character_id/location/now'])
        expect(asksTheGame).toMatch(routes);
      // The callback's own failures count: without the database it is a 503.
      for (const own of ['/token', '/callback/ext', '/ext/history/characters/:character_id/location'])
        expect(own).not.toMatch(routes);
    }
    const [ofCallback, ...others] = [...fails.matchAll(/unless rate\(\w+\{([^}]*)\}/g)].map(
      ([, only]) => only,
    );
    expect(ofCallback).toBe('status=~"502|504",route="/callback/ext"');
    expect(others).toEqual([ofCallback]);
  });

  it('judge the latency of all routes together without the checks of health, which are many and fast', async () => {
    const latencies = (await expressions()).filter((expr) =>
      /sum by \(le\) \(\s*rate\(castellan_http_/.test(expr),
    );
    expect(latencies).toHaveLength(4);
    for (const expr of latencies) {
      const routes = new RegExp(`^(?:${/route!~"([^"]*)"/.exec(expr)?.[1]})$`);
      for (const other of ['/readyz', '/healthz', '/event']) expect(other).toMatch(routes);
      expect('/token').not.toMatch(routes);
    }
  });

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

  it('keep joined answers out of memory: /tmp is the volume of the image, or a folder of the node', async () => {
    expect(await read('deploy/Dockerfile')).toMatch(/^VOLUME \/tmp$/m);
    expect(valuesOf(await documents('deploy/compose.yaml'), 'tmpfs')).toEqual([]);
    const folders = valuesOf(await documents('deploy/kubernetes/castellan.yaml'), 'emptyDir');
    expect(folders.length).toBeGreaterThan(1);
    expect(folders.filter((folder) => 'medium' in (folder as object))).toEqual([]);
  });

  it('bound the log of every container of compose: what Docker keeps by default grows until the disk is full', async () => {
    const [compose] = (await documents('deploy/compose.yaml')) as [ComposeFile];
    const logs = Object.values(compose.services).map(({ logging }) => logging);
    expect(logs).toHaveLength(4);
    for (const log of logs) {
      expect(log).toMatchObject({ driver: 'local', options: { 'max-size': '50m', 'max-file': '5' } });
    }
  });

  it('let compose tell clients apart by IPv6 too, and trust every network that its proxy may ask from', async () => {
    const [compose] = (await documents('deploy/compose.yaml')) as [ComposeFile];
    const { enable_ipv6, ipam } = compose.networks.default;
    const subnets = ipam.config.map(({ subnet }) => subnet);
    expect(enable_ipv6).toBe(true);
    expect(subnets.map((subnet) => ipaddr.parseCIDR(subnet)[0].kind()).sort()).toEqual(['ipv4', 'ipv6']);
    expect(compose.services['api']?.environment?.['TRUSTED_PROXIES']?.split(',')).toEqual(subnets);
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

  it('take a container for healthy that is up, though not ready, so that an outage of the database restarts none', async () => {
    const asked: (string | undefined)[] = [];
    const api = createServer(({ url }, res) => {
      asked.push(url);
      res.writeHead(url === '/healthz' ? 200 : 503).end();
    }).listen(0, '127.0.0.1');
    await once(api, 'listening');
    const [, flags = '', command = ''] =
      /^HEALTHCHECK (.*)\\\n +CMD (\[.*\])$/m.exec(await read('deploy/Dockerfile')) ?? [];
    const [, ...args] = JSON.parse(command) as string[];
    const PORT = String((api.address() as AddressInfo).port);
    await promisify(execFile)(process.execPath, args, { env: { PORT } });
    api.close();
    expect(asked).toEqual(['/healthz']);
    // Several PROCESSES answer nothing before the database is migrated.
    expect(flags).toContain('--start-period=1h ');
  });

  it('give a pod an hour to migrate: several PROCESSES answer nothing before that is done', async () => {
    const all = await documents('deploy/kubernetes/castellan.yaml');
    const [probe, ...others] = valuesOf(all, 'startupProbe');
    const { failureThreshold, periodSeconds } = probe as Record<string, number>;
    expect(others).toEqual([]);
    expect(Number(failureThreshold) * Number(periodSeconds)).toBe(3600);
    expect(Number(valuesOf(all, 'progressDeadlineSeconds')[0])).toBeGreaterThan(3600);
  });

  it('have systemd run a link, which the guide changes when the new version is built: never in the running one', async () => {
    const unit = await read('deploy/systemd/castellan.service');
    const [, running = ''] = /^WorkingDirectory=(.+)$/m.exec(unit) ?? [];
    const guide = await read('docs/deploying.md');
    const built = [...guide.matchAll(/^cd (\S+) && npm ci/gm)].map(([, folder]) => folder);
    expect(built).toEqual([expect.stringMatching(`^${running}-`)]);
    // At the first start, and at an upgrade.
    expect(guide.match(new RegExp(`\\bln -sfT castellan-\\S+ ${running}\\b`, 'g'))).toHaveLength(2);
  });

  it('run API, worker and commands of systemd as the role of PostgreSQL, which lets its account in by the socket', async () => {
    const guide = await read('docs/deploying.md');
    const [, role] = /^DATABASE_URL=postgres:\/\/(\w+)@\/\w+\?host=/m.exec(guide) ?? [];
    expect(role).toBe('castellan');
    for (const name of await readdir(join(ROOT, 'deploy/systemd')))
      expect(await read(`deploy/systemd/${name}`)).toMatch(new RegExp(`^User=${role}$`, 'm'));
    const commands = guide.match(/^systemd-run .*$/gm) ?? [];
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands) expect(command).toContain(` -p User=${role} `);
  });

  it('exclude from the image only what its build does not need', async () => {
    const allowed = (await read('.dockerignore')).match(/(?<=^!).+$/gm) ?? [];
    const built = await read('scripts/build-when-stale.mjs');
    const [, folders = ''] = /^const SHARED = \[(.+)\];$/m.exec(built) ?? [];
    const imported = [...built.matchAll(/(?:from |import\()'\.\/(.+?)'/g)].map(
      ([, script]) => `scripts/${script}`,
    );
    expect(allowed).toEqual(
      expect.arrayContaining([
        ...folders.split(', ').map((folder) => folder.slice(1, -1)),
        ...imported,
        'scripts/build-when-stale.mjs',
        'package.json',
        'package-lock.json',
        'tsconfig.json',
      ]),
    );
    expect(allowed).not.toContain('dev');
  });

  it('let no answer of 503 make nginx take a server for gone: 503 is the answer of all while the database is away', async () => {
    const servers = (await read('deploy/nginx.conf')).match(/^ *(?:# )?server \d.*;$/gm) ?? [];
    expect(servers.length).toBeGreaterThan(1);
    expect(servers.filter((server) => !/ max_fails=0;$/.test(server))).toEqual([]);
  });

  it('let Prometheus find the pods of API and worker, in a job of the name by which the alert rules go', async () => {
    const [config] = (await documents('deploy/prometheus/kubernetes.yml')) as [PrometheusFile];
    const [rules] = await documents('deploy/prometheus/castellan.rules.yml');
    const jobs = valuesOf(rules, 'expr').flatMap((expr) => [
      ...String(expr).matchAll(/\bup\{job="(\w+)"\}/g),
    ]);
    expect(new Set(jobs.map(([, job]) => job))).toEqual(
      new Set(config.scrape_configs.map((job) => job.job_name)),
    );
    const [selector] = valuesOf(config, 'label') as [string];
    const [portName] = config.scrape_configs.flatMap(({ relabel_configs }) =>
      relabel_configs.filter(({ action }) => action === 'keep').map(({ regex }) => regex),
    );
    const deployments = (await documents('deploy/kubernetes/castellan.yaml')).filter(
      (resource) => (resource as { kind: string }).kind === 'Deployment',
    );
    expect(deployments).toHaveLength(2);
    for (const deployment of deployments) {
      const [template] = valuesOf(deployment, 'template');
      const labels = Object.entries(valuesOf(template, 'labels')[0] as object);
      expect(labels.map(([name, value]) => `${name}=${value}`)).toContain(selector);
      expect(valuesOf(template, 'ports').flat()).toContainEqual({ name: portName, containerPort: 9464 });
      // A job that goes by these would scrape the pods a second time, under another name.
      expect(JSON.stringify(template)).not.toContain('prometheus.io/');
    }
  });

  it('let Caddy leave an idle connection before the service closes it, as a request sent then would fail', async () => {
    const [, seconds] = /^\t+keepalive (\d+)s$/m.exec(await read('deploy/Caddyfile')) ?? [];
    expect(Number(seconds) * 1000).toBeLessThan(READER_LIMITS.idleFor);
  });

  it('use only existing metrics in alert rules and dashboard', async () => {
    const served = servedMetrics();
    const named = (await expressions()).flatMap((expr) => metricsIn(expr).map(([name]) => name));
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((name) => !served.has(name))).toEqual([]);
  });

  it('use only the labels that these metrics have, and those of Prometheus', async () => {
    const served = servedMetrics();
    const unknown: string[] = [];
    for (const expr of await expressions()) {
      const metrics = metricsIn(expr);
      const all = new Set(metrics.flatMap(([name]) => [...(served.get(name) ?? []), ...OF_PROMETHEUS]));
      for (const [name, selector] of metrics) {
        const own = new Set([...(served.get(name) ?? []), ...OF_PROMETHEUS]);
        for (const [, label = ''] of selector.matchAll(/(\w+)\s*[=!]~?\s*"/g)) {
          if (!own.has(label)) unknown.push(`${name}{${label}}`);
        }
      }
      for (const [, labels = ''] of expr.matchAll(/\bby \(([^)]*)\)/g)) {
        unknown.push(...labels.split(', ').filter((label) => !all.has(label)));
      }
    }
    expect(unknown).toEqual([]);
  });
});
