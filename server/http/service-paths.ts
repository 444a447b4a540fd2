import { Router } from 'express';
import { openApiDocument } from '../../contract/openapi.ts';
import { API_VERSION } from '../../contract/version.ts';
import { isUnreachable } from '../database/errors.ts';
import { pendingMigrations } from '../database/migrate.ts';
import { createDocs } from '../docs/docs.ts';
import type { Services } from '../services/services.ts';
import { inTime } from './bounded-health-check.ts';
import { docsRoutes } from './docs.ts';
import { databaseLost, HttpError } from './http-error.ts';
import { publishedYaml } from './published-yaml.ts';
import { withinLimit } from './rate-limit.ts';
import { describeVersion, type Version } from './version.ts';

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
  const document = openApiDocument(services.settings.baseUrl, API_VERSION);
  const json = Buffer.from(JSON.stringify(document));
  // Health checks are not rate-limited (D60).
  const limited = withinLimit(services);

  router.get('/healthz', (_req, res) => res.json({ status: 'ok' }));
  const ready = inTime(() => requireReady(services));
  router.get('/readyz', (_req, res, next) => {
    ready().then(() => res.json({ status: 'ready' }), next);
  });
  let version: Promise<Version> | undefined;
  router.get('/version', limited, (_req, res, next) => {
    version ??= describeVersion(document, services.settings.commit);
    version.then((known) => res.json(known), next);
  });
  router.get('/.well-known/jwks.json', limited, (_req, res) => {
    res.set('Cache-Control', 'public, max-age=300');
    res.json(services.keys.jwks);
  });
  router.get('/openapi.json', limited, (_req, res) => {
    res.set('Content-Type', 'application/json; charset=utf-8').end(json);
  });
  let yaml: Buffer | undefined;
  router.get('/openapi.yaml', limited, (_req, res, next) => {
    const send = (text: Buffer) => {
      yaml = text;
      res.set('Content-Type', 'application/yaml; charset=utf-8').end(text);
    };
    if (yaml !== undefined) return send(yaml);
    publishedYaml(services.settings.baseUrl).then((text) => send(Buffer.from(text)), next);
  });
  router.use('/docs', limited, docsRoutes(createDocs(document)));
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
