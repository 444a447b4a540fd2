import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { docsRoutes } from '../../../server/http/docs.ts';
import { type Listening, listen } from '../../../server/http/listen.ts';

const rendered: string[] = [];
let arrived = 0;
/** Resolves when twenty requests have come. */
let allHere: () => void;
const here = new Promise<void>((resolve) => {
  allHere = resolve;
});

async function render(path: string): Promise<string | undefined> {
  rendered.push(path);
  await here;
  return path === '/docs' ? '<p>The reference</p>' : undefined;
}

let http: Listening;
beforeAll(async () => {
  const app = express();
  app.use('/docs', (_req, _res, next) => {
    next();
    arrived += 1;
    if (arrived === 20) allHere();
  });
  app.use('/docs', docsRoutes(render));
  http = await listen(app, '127.0.0.1', 0);
});
afterAll(() => http.stop());

const ask = async (path: string) => {
  const answer = await fetch(`http://127.0.0.1:${http.port}${path}`);
  return [answer.status, await answer.text()];
};

describe('the pages under /docs', () => {
  it('are rendered once, however many ask for them first', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask('/docs')));
    expect(answers).toEqual(Array(20).fill([200, '<p>The reference</p>']));
    await ask('/docs');
    expect(rendered).toEqual(['/docs']);
  });

  it('are not remembered where there are none', async () => {
    const path = '/docs/guides/none';
    for (const _once of [1, 2]) expect((await ask(path))[0]).toBe(404);
    expect(rendered.filter((one) => one === path)).toHaveLength(2);
  });
});
