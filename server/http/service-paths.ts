import { Router } from 'express';
import { isUnreachable } from '../database/errors.ts';
import { pendingMigrations } from '../database/migrate.ts';
import type { Services } from '../services/services.ts';
import { once } from '../shared/once.ts';
import { inTime } from './bounded-health-check.ts';
import { databaseLost, HttpError } from './http-error.ts';
import { onDemand } from './on-demand.ts';
import { publishedYaml } from './published-yaml.ts';
import { withinLimit } from './rate-limit.ts';
import { describeVersion } from './version.ts';

/** Paths that need no token and are not in the contract (docs/rules.md, "Paths"). */
export const SERVICE_PATHS = [
  '/healthz',
  '/readyz',
  '/version',
  '/docs',
  '/docs/guides/:guide',
  '/openapi.json',
  '/openapi.yaml',
  '/.well-known/jwks.json',
] as const;

export function serviceRoutes(services: Services): Router {
  const router = Router({ caseSensitive: true });
  router.use([...SERVICE_PATHS], (req, res, next) => {
    res.locals.route = req.baseUrl;
    next();
  });
  const { baseUrl, commit } = services.settings;
  // On demand, as loading and making it takes a tenth of a start's time.
  const document = once(async () => {
    const { makeDocument } = await import('../docs/document.ts');
    return makeDocument(baseUrl);
  });
  const json = once(async () => Buffer.from(JSON.stringify(await document())));
  const yaml = once(async () => Buffer.from(await publishedYaml(baseUrl)));
  const version = once(async () => describeVersion(await document(), commit));
  // Health checks are not rate-limited (D60).
  const limited = withinLimit(services);

  router.get('/healthz', (_req, res) => res.json({ status: 'ok' }));
  const ready = inTime(() => requireReady(services));
  router.get('/readyz', (_req, res, next) => {
    ready().then(() => res.json({ status: 'ready' }), next);
  });
  router.get('/version', limited, (_req, res, next) => {
    version().then((known) => res.json(known), next);
  });
  router.get('/.well-known/jwks.json', limited, (_req, res) => {
    res.set('Cache-Control', 'public, max-age=300');
    res.json(services.keys.jwks);
  });
  router.get('/openapi.json', limited, (_req, res, next) => {
    json()
      .then((text) => res.setHeader('Content-Type', 'application/json').end(text))
      .catch(next);
  });
  router.get('/openapi.yaml', limited, (_req, res, next) => {
    yaml()
      .then((text) => res.set('Content-Type', 'application/yaml; charset=utf-8').end(text))
      .catch(next);
  });
  const docs = onDemand(async () => {
    const [{ createDocs }, { docsRoutes }] = await Promise.all([
      import('../docs/docs.ts'),
      import('./docs.ts'),
    ]);
    return docsRoutes(createDocs(await document()));
  });
  router.use('/docs', limited, docs);
  return router;
}

/** @throws HttpError where the database is away, or not what this release needs */
async function requireReady({ db }: Services): Promise<void> {
  const pending = await pendingMigrations(db).catch((error: unknown) => {
    throw isUnreachable(error) ? databaseLost() : error;
  });
  if (pending.length === 0) return;
  const detail = `The database lacks ${pending.length} migration(s).`;
  throw new HttpError('database_not_migrated', detail, { headers: { 'Retry-After': '5' } });
}
