/**
 * Writes every file that is made from another: the SDK's types and routes and openapi.yaml from the contract,
 * migrations/schema.sql from the migrations, the revision of the database functions from their texts. With
 * `--check` nothing is written: files that drifted are listed, and the exit code is 1.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { openApiDocument } from '../contract/openapi.ts';
import { EXT_SCOPES } from '../contract/scopes.ts';
import { API_VERSION } from '../contract/version.ts';
import { openApiYaml } from '../server/http/openapi-yaml.ts';
import { architecture } from './generate/arrows.ts';
import { functionsRevision } from './generate/functions-revision.ts';
import { schemaSql } from './generate/schema.ts';
import { sdkRoutes } from './generate/sdk-routes.ts';
import { sdkTypes } from './generate/sdk-types.ts';
import { sdkZod } from './generate/sdk-zod.ts';

const VERSION = `// Written by \`npm run generate\` from the contract; changes here are lost.

/** Version of the contract that this client was generated from. */
export const VERSION = '${API_VERSION}';
`;

const SCOPES = `// Written by \`npm run generate\` from the contract; changes here are lost.
import type { ExtScope } from './types.ts';

/** Every scope that the service knows, sorted. */
export const EXT_SCOPES = [
${EXT_SCOPES.map((scope) => `  '${scope}',\n`).join('')}] as const satisfies readonly ExtScope[];
`;

const ROOT = new URL('../', import.meta.url);

const FILES: Readonly<Record<string, () => string | Promise<string>>> = {
  'sdk/src/generated/routes.ts': sdkRoutes,
  'sdk/src/generated/scopes.ts': () => SCOPES,
  'sdk/src/generated/types.ts': sdkTypes,
  'sdk/src/generated/version.ts': () => VERSION,
  'sdk/src/generated/zod.ts': sdkZod,
  'ARCHITECTURE.md': architecture,
  'openapi.yaml': () => openApiYaml(openApiDocument()),
  'server/database/functions/revision.ts': functionsRevision,
  'migrations/schema.sql': schemaSql,
};

const drifted: string[] = [];
for (const [path, generate] of Object.entries(FILES)) {
  const file = new URL(path, ROOT);
  const text = await generate();
  if (text !== (await readFile(file, 'utf8').catch(() => undefined))) {
    drifted.push(path);
    if (!process.argv.includes('--check')) await writeFile(file, text);
  }
}

if (process.argv.includes('--check')) {
  const told = drifted.length === 0 ? 'Generated files are up to date' : `Drifted: ${drifted.join(', ')}`;
  process.stdout.write(`${told}\n`);
  if (drifted.length > 0) {
    process.stdout.write('Run `npm run generate` and commit what it writes.\n');
    process.exitCode = 1;
  }
} else {
  process.stdout.write(drifted.map((path) => `wrote ${path}\n`).join(''));
}
