/**
 * Bundles what is older than its sources: `dist/` for production, `dist-dev/` for everything else, which holds the
 * stand-ins, too. Everything that a program imports is in a few files, because Node.js takes three quarters of a start
 * for a thousand of them. Types are checked by `npm run check`.
 *   node scripts/build-when-stale.mjs [production] [development]                both unless told
 */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, parse, relative, resolve } from 'node:path';
import { copyTexts } from './copy-texts.mjs';

const SHARED = ['contract', 'server', 'jobs', 'migrations'];
const BUILDS = {
  production: {
    folders: SHARED,
    programs: [
      'server/main.ts',
      'server/worker.ts',
      'server/cli/token.ts',
      'server/cli/doctor.ts',
      'server/cli/openapi.ts',
    ],
    out: 'dist',
  },
  development: {
    folders: [...SHARED, 'dev'],
    programs: ['dev/main.ts', 'dev/worker.ts', 'dev/token.ts', 'dev/doctor.ts', 'server/cli/openapi.ts'],
    out: 'dist-dev',
  },
};
/** Files that affect all output. */
const BUNDLED_BY = [
  'tsconfig.json',
  'package.json',
  'package-lock.json',
  'scripts/build-when-stale.mjs',
  'scripts/require-node.cjs',
  'scripts/source-map-by-lines.mjs',
];
/** Each program runs it first, as most are started without npm. */
const REQUIRE_NODE = 'require-node.cjs';
/** What it reads from a file that need not be beside `dist/`. */
const REQUIRED_VERSION = "require('../package.json').engines.node";
/** Two folders below the output, like the sources: paths relative to a source are the same there. */
const BUNDLE = 'server/bundle';
/** CommonJS packages ask for modules of Node.js by `require`. */
const REQUIRE =
  "import { createRequire as requireFrom } from 'node:module';const require = requireFrom(import.meta.url);";
/** Milliseconds for which files of a former bundle stay, as a process that runs may yet load them. */
const KEPT_FOR = 24 * 60 * 60 * 1000;

const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const filesBelow = (folder, wanted) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(wanted)
    .map(({ parentPath, name }) => join(parentPath, name));
/** With the folders, which change where a file is removed. */
const isSource = (entry) => entry.isDirectory() || entry.name.endsWith('.ts');
const isOutput = ({ name }) => /\.js(\.map)?$/.test(name);
const starterOf = (program, out) => join(out, program.replace(/\.ts$/, '.js'));

/** Makes one bundle where it is stale. */
export async function buildWhenStale(name) {
  const { folders, programs, out } = BUILDS[name];
  // An installation without sources has nothing to build.
  if (!folders.every(changedAt)) return;
  copyTexts(out);
  const starters = programs.map((program) => starterOf(program, out));
  const sources = [...BUNDLED_BY, ...folders, ...folders.flatMap((folder) => filesBelow(folder, isSource))];
  const changed = Math.max(...sources.map(changedAt));
  if (starters.every((starter) => changedAt(starter) > changed)) return;
  process.stderr.write('Building castellan …\n');
  const began = new Date();
  const outputs = await bundle(programs, folders, join(out, BUNDLE));
  // What a program consists of comes before the program.
  write(join(out, REQUIRE_NODE), requireNode());
  for (const { path, contents } of outputs) write(path, contents);
  for (const starter of starters) {
    write(starter, startOf(starter, out));
    // What has changed meanwhile is newer.
    utimesSync(starter, began, began);
  }
  removeOrphans(out, [...outputs.map(({ path }) => path), ...starters]);
}

async function bundle(programs, folders, outdir) {
  const [{ build }, { sourceMapByLines }] = await Promise.all([
    import('esbuild'),
    import('./source-map-by-lines.mjs'),
  ]);
  const { outputFiles } = await build({
    entryPoints: Object.fromEntries(programs.map((program) => [parse(program).name, program])),
    outdir,
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    banner: { js: REQUIRE },
    // Some packages go by the names of their classes, which a bundle changes where two are the same.
    keepNames: true,
    sourcemap: 'linked',
    sourcesContent: false,
    write: false,
    logLevel: 'warning',
  });
  return outputFiles.map(({ path, contents, text }) => ({
    path,
    contents: path.endsWith('.map') ? sourceMapByLines(text, folders) : contents,
  }));
}

function requireNode() {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
  const script = readFileSync(join('scripts', REQUIRE_NODE), 'utf8');
  return script.replace(REQUIRED_VERSION, JSON.stringify(engines.node));
}

/**
 * The program itself; stack traces name its sources, not the bundle. Without `await`, which versions of Node.js that are
 * to be refused cannot parse.
 */
function startOf(starter, out) {
  const pathTo = (file) => {
    const path = relative(dirname(starter), join(out, file));
    return path.startsWith('.') ? path : `./${path}`;
  };
  return [
    `import '${pathTo(REQUIRE_NODE)}';`,
    'process.setSourceMapsEnabled(true);',
    `import('${pathTo(join(BUNDLE, basename(starter)))}');`,
    '',
  ].join('\n');
}

/** Written atomically, because another process may be starting from it. */
function write(file, contents) {
  const draft = join(dirname(file), `.${basename(file)}.${process.pid}`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(draft, contents);
  renameSync(draft, file);
}

function removeOrphans(out, outputs) {
  const wanted = new Set(outputs.map((path) => resolve(path)));
  const inUse = (file) => dirname(file) === join(out, BUNDLE) && changedAt(file) > Date.now() - KEPT_FOR;
  for (const file of filesBelow(out, isOutput)) {
    if (!wanted.has(resolve(file)) && !inUse(file)) rmSync(file);
  }
}

if (import.meta.filename === process.argv[1]) {
  const wanted = process.argv.slice(2);
  for (const name of wanted.length > 0 ? wanted : Object.keys(BUILDS)) await buildWhenStale(name);
}
