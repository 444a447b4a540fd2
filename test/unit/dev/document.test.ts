import { beforeEach, describe, expect, it } from 'vitest';
import { get, useProvider, WALLET } from './client.ts';

const simulated = useProvider();

describe('the API’s description (provider.md §2)', () => {
  type Document = {
    openapi?: string;
    swagger?: string;
    paths: Record<string, Record<string, Record<string, unknown>>>;
  };
  let document: Document;
  beforeEach(async () => {
    document = (await (await fetch(simulated.provider.specUrl)).json()) as Document;
  });

  it('/meta/openapi.json is OpenAPI 3.1 with one scope at security[0].OAuth2[0]', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.paths['/characters/{character_id}/wallet']?.get).toMatchObject({
      security: [{ OAuth2: [WALLET] }],
      'x-rate-limit': { group: 'char-wallet', 'max-tokens': 150, 'window-size': '15m' },
      'x-cache-age': 120,
    });
    expect(document.paths['/status']?.get).not.toHaveProperty('security');
  });

  it('describes exactly what is simulated: no described operation is unknown to the API', async () => {
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({
        path: path.replace(/\{\w+\}/g, '1'),
        method: method.toUpperCase(),
      })),
    );
    expect(operations).toHaveLength(28);
    for (const { path, method } of operations) {
      const answer = await fetch(simulated.provider.apiUrl + path, { method });
      expect(answer.status, `${method} ${path}`).not.toBe(405);
      expect(await answer.text()).not.toContain('Requested path does not exist"');
    }
  });

  it('/latest/swagger.json is gone, unless switched on: Swagger 2.0 with security[0].evesso[0]', async () => {
    const swagger = () => get(simulated.provider, '/latest/swagger.json');
    expect((await swagger()).status).toBe(404);
    simulated.provider.publishSwagger = true;
    const former = (await (await swagger()).json()) as Document;
    expect(former).toMatchObject({ swagger: '2.0', basePath: '/api/latest' });
    expect(former.paths['/characters/{character_id}/wallet/']?.get).toMatchObject({
      security: [{ evesso: [WALLET] }],
    });
  });
});
