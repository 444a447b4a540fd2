import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openApiDocument } from '../../contract/openapi.ts';
import { openApiYaml } from '../../server/http/openapi-yaml.ts';
import { type Consumer, createConsumer, TOOLS } from './consumer.ts';

let consumer: Consumer;
beforeAll(async () => {
  consumer = await createConsumer();
  await consumer.write({ 'ruleset.yaml': 'extends: ["spectral:oas"]\n' });
});
afterAll(() => consumer?.remove());

/** Whatever the rules for OpenAPI find, hints included. */
async function findings(document: object): Promise<string[]> {
  await consumer.write({ 'openapi.yaml': openApiYaml(document as ReturnType<typeof openApiDocument>) });
  const options = ['--ruleset', 'ruleset.yaml', '--format', 'json'];
  const program = join(TOOLS, '@stoplight/spectral-cli/dist/index.js');
  const files = ['openapi.yaml', '--output', 'findings.json'];
  await consumer.run('node', program, 'lint', ...files, ...options);
  const found = JSON.parse(await consumer.run('cat', 'findings.json')) as { code: string; path: string[] }[];
  return found.map(({ code, path }) => `${code} ${path.join('.')}`);
}

it('the rules of Spectral find nothing in the document, and would find something', async () => {
  const document = openApiDocument('https://castellan.example');
  expect(await findings(document)).toEqual([]);
  const { contact: _, ...info } = document.info;
  expect(await findings({ ...document, info })).toEqual(['info-contact info']);
});
