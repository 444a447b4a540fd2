import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Router } from 'express';
import helmet from 'helmet';
import { API_VERSION, openApiDocument } from '../../contract/openapi.ts';
import { isUnreachable } from '../database/errors.ts';
import { pendingMigrations } from '../database/migrate.ts';
import type { Services } from '../services/services.ts';
import { FAVICON } from './brand.ts';
import { databaseLost, HttpError } from './http-error.ts';
import { openApiYaml } from './openapi-yaml.ts';
import { describeVersion, type Version } from './version.ts';
import { withinLimit } from './within-limit.ts';

/** Paths that need no token and are no part of the contract (decisions §1). */
export const SERVICE_PATHS = [
  '/healthz',
  '/readyz',
  '/version',
  '/docs',
  '/openapi.json',
  '/openapi.yaml',
  '/.well-known/jwks.json',
] as const;

export function serviceRoutes(services: Services): Router {
  const router = Router({ caseSensitive: true });
  const document = openApiDocument(services.settings.baseUrl, API_VERSION);
  const json = Buffer.from(JSON.stringify(document));
  const yaml = Buffer.from(openApiYaml(document));
  // Health checks are exempt (D60).
  const limited = withinLimit(services);

  router.get('/healthz', (_req, res) => res.json({ status: 'ok' }));
  router.get('/readyz', (_req, res, next) => {
    readiness(services).then((status) => res.json({ status }), next);
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
  router.get('/openapi.yaml', limited, (_req, res) => {
    res.set('Content-Type', 'application/yaml; charset=utf-8').end(yaml);
  });
  router.use('/docs', limited, reference());
  return router;
}

async function readiness({ db }: Services): Promise<'ready'> {
  const pending = await pendingMigrations(db).catch((error: unknown) => {
    throw isUnreachable(error) ? databaseLost() : error;
  });
  if (pending.length === 0) return 'ready';
  const detail = `The database lacks ${pending.length} migration(s).`;
  throw new HttpError('database_not_migrated', detail, { headers: { 'Retry-After': '5' } });
}

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · castellan</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
${FAVICON}
</head>
<body>
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  persistAuthorization: false,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
`;

/** The files of Swagger UI that the page loads: all from here, none from the internet. */
const ASSETS = ['swagger-ui.css', 'swagger-ui-bundle.js'] as const;

function reference(): Router {
  const router = Router({ caseSensitive: true });
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  // Swagger UI sets styles as attributes and draws with data: images; scripts are our own files alone.
  router.use(
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'none'"],
          scriptSrc: ["'self'"],
          styleSrc: ["'self'", "'unsafe-inline'"],
          imgSrc: ["'self'", 'data:'],
          fontSrc: ["'self'"],
          connectSrc: ["'self'"],
          baseUri: ["'none'"],
          formAction: ["'none'"],
          frameAncestors: ["'none'"],
        },
      },
      strictTransportSecurity: false,
    }),
  );
  router.get('/', (_req, res) => {
    res.type('html').send(PAGE);
  });
  router.get('/start.js', (_req, res) => {
    res.type('js').send(START);
  });
  for (const asset of ASSETS) {
    router.get(`/${asset}`, (_req, res) => res.sendFile(join(folder, asset), { maxAge: 86_400_000 }));
  }
  return router;
}
