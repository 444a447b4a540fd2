import { expect, it } from 'vitest';
import { openApiDocument } from '../../../contract/openapi.ts';
import { openApiYaml } from '../../../server/http/openapi-yaml.ts';
import { publishedYaml } from '../../../server/http/published-yaml.ts';

it.each([
  'http://localhost:8080',
  'https://castellan.example/gate',
  'http://[::1]:8080',
  'https://castellan.example/gate-',
  'https://castellan.example/$&',
])('GET /openapi.yaml at %s is byte for byte the document as YAML', async (address) => {
  const made = openApiYaml(openApiDocument(address));
  // Compared first, because a difference of half a megabyte takes minutes to print.
  const published = await publishedYaml(address);
  expect(published === made, 'run `npm run generate` after a change of the contract').toBe(true);
});
