import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { describe, expect, it, vi } from 'vitest';
import { openApiDocument } from '../../../contract/openapi.ts';
import { docsRoutes } from '../../../server/http/docs.ts';

const rendered = vi.hoisted(() => [] as string[]);
vi.mock('../../../server/docs/docs.ts', async (load) => {
  const { createDocs, ...rest } = await load<typeof import('../../../server/docs/docs.ts')>();
  return {
    ...rest,
    createDocs: (document: Parameters<typeof createDocs>[0]) => {
      const docs = createDocs(document);
      return (path: string) => {
        rendered.push(path);
        return docs(path);
      };
    },
  };
});

describe('the pages under /docs', () => {
  it('are rendered once, however many ask for them first', async () => {
    const app = express().use('/docs', docsRoutes(openApiDocument('https://castellan.example')));
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const ask = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/docs`);
      return [answer.status, (await answer.text()).length];
    };
    const answers = await Promise.all(Array.from({ length: 20 }, ask));
    expect(answers).toEqual(Array(20).fill([200, expect.any(Number)]));
    expect(rendered).toEqual(['/docs']);
    server.close();
  });
});
