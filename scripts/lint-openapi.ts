/** `npm run lint:openapi`: what Redocly's recommended rules find in the OpenAPI document. Any finding fails. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConfig, lint, type NormalizedProblem } from '@redocly/openapi-core';
import { openApiDocument } from '../contract/openapi.ts';
import { openApiYaml } from '../server/http/openapi-yaml.ts';

/** Accepted findings, each with the reason. One that no longer occurs is reported, too. */
const ACCEPTED: Readonly<Record<string, string>> = {
  'operation-2xx-response #/paths/~1callback~1ext/get/responses': 'its success is a redirect',
  'operation-4xx-response #/paths/~1healthz/get/responses': 'takes nothing, so it refuses nothing',
  'operation-4xx-response #/paths/~1readyz/get/responses': 'takes nothing, so it refuses nothing',
};

const folder = await mkdtemp(join(tmpdir(), 'castellan-lint-'));
try {
  const ref = join(folder, 'openapi.yaml');
  await writeFile(ref, openApiYaml(openApiDocument('https://castellan.example.org')));
  const found = await lint({ ref, config: await createConfig({ extends: ['recommended'] }) });
  const unaccepted = found.filter((problem) => !(place(problem) in ACCEPTED));
  const stale = Object.keys(ACCEPTED).filter((accepted) => !found.some((it) => place(it) === accepted));
  for (const problem of unaccepted) process.stdout.write(`${place(problem)}: ${problem.message}\n`);
  for (const accepted of stale) process.stdout.write(`${accepted}: is accepted, but found no more\n`);
  const faults = unaccepted.length + stale.length;
  process.stdout.write(`The OpenAPI document: ${faults} finding(s) by Redocly's recommended rules\n`);
  if (faults > 0) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}

function place({ ruleId, location }: NormalizedProblem): string {
  return `${ruleId} ${location[0]?.pointer ?? ''}`;
}
