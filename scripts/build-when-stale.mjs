/**
 * Compiles what is older than its source, file by file: `dist/` for production, `dist-dev/` for everything else, which
 * holds the stand-ins, too. Types are checked by `npm run check`.
 *   node scripts/build-when-stale.mjs                both
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { copyTexts } from './copy-texts.mjs';

const SHARED = ['contract', 'server', 'jobs', 'migrations'];
const BUILDS = {
  production: { folders: SHARED, out: 'dist' },
  development: { folders: [...SHARED, 'dev'], out: 'dist-dev' },
};
/** Files that affect all output. */
const COMPILED_BY = ['tsconfig.json', 'package-lock.json', 'scripts/build-when-stale.mjs'];

const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const filesBelow = (folder, ending) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));
const outputOf = (source, out) => join(out, source.replace(/\.ts$/, '.js'));

/** What this process has compiled: both builds hold the same of it. */
const compiled = new Map();

/** Compiles one build where it is stale. */
export function buildWhenStale(name) {
  const { folders, out } = BUILDS[name];
  // An installation without sources has nothing to build.
  if (!folders.every(changedAt)) return;
  copyTexts(out);
  const sources = folders.flatMap((folder) => filesBelow(folder, '.ts'));
  const compiledBy = Math.max(...COMPILED_BY.map(changedAt));
  const stale = sources.filter(
    (source) => changedAt(outputOf(source, out)) <= Math.max(changedAt(source), compiledBy),
  );
  if (stale.length === 0) return removeOrphans(sources, out);
  process.stderr.write('Building castellan …\n');
  const ts = createRequire(import.meta.url)('typescript');
  const { config } = ts.readConfigFile('tsconfig.json', (path) => readFileSync(path, 'utf8'));
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, '.');
  // Every package of the workspace is made of ES modules.
  const compilerOptions = { ...options, module: ts.ModuleKind.ESNext, noEmit: false, sourceMap: true };
  for (const source of stale) {
    const file = outputOf(source, out);
    mkdirSync(dirname(file), { recursive: true });
    const { outputText, sourceMapText } =
      compiled.get(source) ??
      ts.transpileModule(readFileSync(source, 'utf8'), { compilerOptions, fileName: source });
    compiled.set(source, { outputText, sourceMapText });
    const map = JSON.parse(sourceMapText);
    write(`${file}.map`, JSON.stringify({ ...map, sources: [relative(dirname(file), source)] }));
    write(file, outputText);
  }
  removeOrphans(sources, out);
}

/** Written atomically, because another process may be starting from it. */
function write(file, text) {
  const draft = join(dirname(file), `.${basename(file)}.${process.pid}`);
  writeFileSync(draft, text);
  renameSync(draft, file);
}

function removeOrphans(sources, out) {
  const wanted = new Set(sources.map((source) => outputOf(source, out)));
  for (const file of filesBelow(out, '.js')) {
    if (wanted.has(file)) continue;
    rmSync(file);
    rmSync(`${file}.map`, { force: true });
  }
}

if (import.meta.filename === process.argv[1]) Object.keys(BUILDS).forEach(buildWhenStale);
