/** Allowed imports between folders (ARCHITECTURE.md): each rule is a forbidden import. */
const rule = (name, from, to, comment) => ({ name, comment, severity: 'error', from, to });

/** Foundations, from the bottom up; none of them imports a feature. */
const FOUNDATIONS =
  '^server/(shared|tracing|observability|outbound|voice-server|database|keys|queue|config|provider|rate-limit|access|standing|event|services|docs|http)/';
/** Entry points that put everything together: files directly in server/, process/ and cli/. */
const TOPS = '^server/([^/]+\\.ts$|process/|cli/)';

module.exports = {
  forbidden: [
    rule('no-cycles', {}, { circular: true }, 'Files that need each other are one file.'),
    {
      ...rule(
        'no-folder-cycles',
        { path: '^(console|contract|dev|jobs|migrations|server)' },
        { circular: true },
      ),
      scope: 'folder',
      comment: 'Two folders must not import each other, not even types.',
    },
    rule(
      'foundations-know-no-feature',
      { path: FOUNDATIONS },
      { path: '^(server|jobs|dev)/', pathNot: FOUNDATIONS },
      'Features stand on them.',
    ),
    rule(
      'nothing-below-the-tops',
      { path: '^server/[^/]+/', pathNot: TOPS },
      { path: TOPS },
      'Nobody calls back up.',
    ),
    rule(
      'contract-is-a-leaf',
      { path: '^contract/' },
      { path: '^(server|jobs|migrations|dev|sdk|test|scripts)/' },
      'The contract is data; everyone reads it, it reads nobody.',
    ),
    rule(
      'contract-packages',
      { path: '^contract/' },
      {
        dependencyTypes: ['npm', 'npm-dev'],
        pathNot: 'node_modules/(zod|@ts-rest/core|@anatine/zod-openapi)/',
      },
      'zod, @ts-rest/core and @anatine/zod-openapi alone.',
    ),
    rule(
      'deciding-is-pure',
      { path: '^server/access/(check-access-rule|clearance-levels|distance|level-change)\\.ts$' },
      {
        pathNot:
          '^(server/access/(check-access-rule|clearance-levels|distance|level-change)\\.ts|server/shared/lack\\.ts|contract/)',
      },
      'Rules about data, without I/O.',
    ),
    rule(
      'queries-know-the-database-alone',
      { path: '\\.queries\\.ts$' },
      {
        path: '^(server/(http|provider|voice-server|queue|config)|jobs|dev)/',
        pathNot: '\\.queries\\.ts$|^server/queue/(job-catalogue|run|schedule)\\.ts$',
      },
      'SQL, and nothing else.',
    ),
    rule(
      'sql-is-in-queries',
      { path: '^(server|jobs)/', pathNot: '(\\.queries\\.ts$|^server/database/)' },
      { path: 'node_modules/kysely/', dependencyTypesNot: ['type-only'] },
      'SQL is written in *.queries.ts.',
    ),
    rule(
      'express-and-ts-rest',
      { path: '^(server|jobs)/', pathNot: '(^server/http/|^server/api\\.ts$|\\.routes\\.ts$)' },
      { path: 'node_modules/(express|@ts-rest/express)/' },
      'Only http/, api.ts and *.routes.ts know Express and ts-rest.',
    ),
    rule(
      'http-is-for-routes',
      {
        path: '^(server|jobs)/',
        pathNot: `(^server/http/|\\.routes\\.ts$|^server/(sign-in|oidc)/pages\\.ts$|${TOPS})`,
      },
      { path: '^server/http/' },
      'A request walks downhill; what a feature does knows nothing of HTTP.',
    ),
    rule(
      'routes-are-for-the-api',
      { path: '^(server|jobs)/', pathNot: '^server/api\\.ts$' },
      { path: '\\.routes\\.ts$' },
      'Jobs and features call the same functions as the routes.',
    ),
    rule(
      'features-enqueue-by-the-queue',
      { path: '^server/', pathNot: TOPS },
      { path: '^jobs/' },
      'Features know the names of jobs, not their handlers.',
    ),
    rule(
      'loaded-on-demand',
      { path: '^server/', pathNot: '^server/(docs|oidc|cli)/|^server/http/docs\\.ts$' },
      {
        path: '^(jobs/|contract/openapi\\.ts|server/docs/|server/http/docs\\.ts|server/oidc/protocol\\.routes\\.ts)',
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
      'A start loads what the process does: jobs, OpenID Connect and the reference are loaded when they are needed.',
    ),
    rule(
      'pg-boss-in-one-place',
      { path: '^(server|jobs|contract)/', pathNot: '^(server/queue/[a-z.-]+|jobs/worker)\\.ts$' },
      { path: 'node_modules/pg-boss/' },
      'pg-boss only in queue/ and jobs/worker.ts.',
    ),
    rule(
      'development-stays-apart',
      { path: '^(contract|server|jobs|migrations|sdk)/' },
      { path: '^dev/' },
      'Production holds no stand-in: dev/ starts the service, never the other way round.',
    ),
    rule(
      'a-stand-in-reads-for-itself',
      { path: '^dev/voice-server/' },
      { path: '^server/voice-server/' },
      'A mistake in escaping must not cancel itself out between the client and its stand-in.',
    ),
    rule(
      'console-is-an-application',
      { path: '^console/' },
      { pathNot: '^(console|sdk)/|node_modules/|^@(castellan/sdk|tanstack/)' },
      'It has the SDK, as every application has, and nothing of the service.',
    ),
    rule(
      'nobody-needs-the-console',
      { pathNot: '^(console|test/unit/console)/' },
      { path: '^console/' },
      'The service starts and serves without it.',
    ),
    rule(
      'screens-stand-apart',
      { path: '^console/src/screens/([^/]+)/' },
      { path: '^console/src/(app|screens)/', pathNot: '^console/src/screens/$1/' },
      'What two screens need is in shared/.',
    ),
    rule(
      'nothing-imports-tests',
      { pathNot: '^(test|scripts)/|\\.config\\.ts$' },
      { path: '^test/' },
      'Tests are nobody’s dependency.',
    ),
    rule(
      'sdk-stands-alone',
      { path: '^sdk/' },
      { pathNot: '^sdk/|node_modules/(jose|zod|tsup)/' },
      'The SDK has no dependency; jose and zod come with those who use the entries that want them.',
    ),
    rule(
      'sdk-peers-stay-apart',
      { path: '^sdk/src/', pathNot: '^sdk/src/(server/verify|generated/zod)\\.ts$' },
      { path: 'node_modules/(jose|zod)/' },
      'Only the entries for back ends and for Zod need a peer.',
    ),
    rule(
      'not-to-dev-dependencies',
      { path: '^(contract|server|jobs|migrations)/' },
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm', 'type-only'] },
      'What runs in production is a dependency.',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};
