import { expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { publishedYaml } from '../../../server/http/published-yaml.ts';

it.each([
  'http://localhost:8080',
  'https://castellan.example/gate',
  'http://[::1]:8080',
  'https://castellan.example/gate-',
  'https://castellan.example/gate:',
  'https://castellan.example/$&',
])('GET /openapi.yaml holds the address %s as the library writes it', async (url) => {
  const published = await publishedYaml(url);
  const servers = [{ url, description: 'This instance' }];
  expect(/^servers:\n(?: .*\n)+/m.exec(published)?.[0]).toBe(stringify({ servers }, { lineWidth: 0 }));
});

it('an address that no text without quotes can be is still the address', async () => {
  const url = 'https://castellan.example/the gate #1';
  const published = await publishedYaml(url);
  expect(parse(/^servers:\n(?: .*\n)+/m.exec(published)?.[0] ?? '')).toMatchObject({ servers: [{ url }] });
});
