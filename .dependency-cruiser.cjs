/** Who may import whom (ARCHITECTURE.md): each rule is an arrow that must not exist. */
const rule = (name, from, to, comment) => ({ name, comment, severity: 'error', from, to });

module.exports = {
  forbidden: [
    rule(
      'no-cycles',
      {},
      { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
      'Rooms that need each other are one room.',
    ),
    rule(
      'contract-is-a-leaf',
      { path: '^contract/' },
      { path: '^(server|jobs|migrations|sdk|test|scripts)/' },
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
      'access-is-pure',
      { path: '^server/access/' },
      { pathNot: '^(server/access|contract)/' },
      'Rules about data, without I/O.',
    ),
    rule(
      'queries-know-the-database-alone',
      { path: '\\.queries\\.ts$' },
      { path: '^(server/(http|provider|voice-server|simulated)|jobs)/', pathNot: '\\.queries\\.ts$' },
      'SQL, and nothing else.',
    ),
    rule(
      'express-and-ts-rest',
      { path: '^(server|jobs)/', pathNot: '(^server/http/|\\.routes\\.ts$)' },
      { path: 'node_modules/(express|@ts-rest/express)/' },
      'Only http/ and *.routes.ts know Express and ts-rest.',
    ),
    rule(
      'http-is-above',
      {
        path: '^(server|jobs)/',
        pathNot: '(^server/(http|simulated)/|\\.routes\\.ts$|^server/(app|main)\\.ts$)',
      },
      { path: '^server/http/' },
      'A request walks downhill; nothing calls back up.',
    ),
    rule(
      'jobs-never-http',
      { path: '^jobs/' },
      { path: '(^server/http/|\\.routes\\.ts$)' },
      'Jobs call the same functions as the routes.',
    ),
    rule(
      'nouns-enqueue-by-catalogue',
      { path: '^server/', pathNot: '^server/(app|parts)\\.ts$' },
      { path: '^jobs/(?!catalogue|queue)' },
      'Resources know the names of jobs, not their handlers.',
    ),
    rule(
      'pg-boss-in-one-place',
      { pathNot: '^jobs/queue[a-z-]*\\.ts$', path: '^(server|jobs|contract)/' },
      { path: 'node_modules/pg-boss/' },
      'pg-boss only in jobs/queue.ts and the files that belong to it.',
    ),
    rule(
      'app-is-the-top',
      { pathNot: '^(server/main\\.ts|jobs/main\\.ts|test/)' },
      { path: '^server/app\\.ts$' },
      'app.ts is imported by the processes and the tests alone.',
    ),
    rule(
      'simulated-stays-apart',
      { path: '^(server|jobs)/', pathNot: '^server/(simulated/|app\\.ts|main\\.ts)' },
      { path: '^server/simulated/' },
      'Stand-ins are loaded by the development start and by tests.',
    ),
    rule(
      'simulated-is-loaded-late',
      { path: '^server/(app|main)\\.ts$' },
      { path: '^server/simulated/', dependencyTypesNot: ['type-only'], dynamic: false },
      'Production never loads a stand-in.',
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
