/**
 * The simulated provider in a process of its own, some milliseconds away, with lists of any size besides. Ends with
 * the process that started it.
 */
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSimulatedProvider } from '../../../dev/provider/provider.ts';
import { LISTS_DOCUMENT, listPage } from './lists.ts';

export interface ProviderOrder {
  readonly clientId: string;
  readonly clientSecret: string;
}
export interface ProviderReady {
  readonly ssoUrl: string;
  readonly apiUrl: string;
  readonly specUrl: string;
}

/** Milliseconds that every answer takes. */
const DISTANCE = 30;

async function start({ clientId, clientSecret }: ProviderOrder): Promise<ProviderReady> {
  const provider = await startSimulatedProvider({ clientId, clientSecret });
  // Each of a million requests may be another one.
  provider.setRateLimit('market-order', 1_000_000_000);
  const answer = await fetch(provider.specUrl);
  const document = (await answer.json()) as { paths: object };
  const described = JSON.stringify({ ...document, paths: { ...document.paths, ...LISTS_DOCUMENT } });
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://provider');
    await sleep(DISTANCE);
    if (pathname === '/document.json') {
      return void res.writeHead(200, { 'content-type': 'application/json' }).end(described);
    }
    const page = listPage(pathname, Number(searchParams.get('page') ?? 1));
    if (page !== undefined) return void res.writeHead(page.status, page.headers).end(page.body);
    const { hostname, port } = new URL(provider.apiUrl);
    const headers = { ...req.headers, host: `${hostname}:${port}` };
    const onward = request(
      { agent, hostname, port, method: req.method, path: `/api${req.url}`, headers },
      (got) => got.pipe(res.writeHead(got.statusCode ?? 502, got.headers)),
    );
    onward.once('error', () => res.destroy());
    res.once('close', () => onward.destroy());
    req.pipe(onward);
  }

  const front = createServer((req, res) => void serve(req, res));
  front.keepAliveTimeout = 75_000;
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  return { ssoUrl: provider.ssoUrl, apiUrl: url, specUrl: `${url}/document.json` };
}

process.once('message', async (order: ProviderOrder) => process.send?.(await start(order)));
process.once('disconnect', () => process.exit());
