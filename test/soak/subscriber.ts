/**
 * A receiver of webhooks in a process of its own, so that its time is not the service's: it answers at once, and tells
 * when what arrived where.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What arrived at one path. */
export interface Arrived {
  /** By `webhook-id`, in milliseconds since 1970: the first time that it came. */
  readonly first: Readonly<Record<string, number>>;
  /** The same by what the first change of the event says that a field is now. */
  readonly values: Readonly<Record<string, number>>;
  readonly requests: number;
}

export type Told = { readonly port: number } | { readonly count: number } | { readonly arrived: Arrived };
export type Question = { readonly path: string; readonly about: 'count' | 'arrived' };

const places = new Map<
  string,
  { first: Map<string, number>; values: Map<string, number>; requests: number }
>();

function placeOf(path: string) {
  const place = places.get(path) ?? { first: new Map(), values: new Map(), requests: 0 };
  places.set(path, place);
  return place;
}

/** Paths below this are read, too. */
const READ = '/read';

const server = createServer((request, response) => {
  const at = performance.timeOrigin + performance.now();
  const path = request.url ?? '';
  const place = placeOf(path);
  place.requests += 1;
  const id = String(request.headers['webhook-id']);
  if (!place.first.has(id)) place.first.set(id, at);
  if (!path.startsWith(READ)) request.resume();
  else {
    void text(request).then((body) => {
      const value = String(JSON.parse(body).data.changes[0]?.after);
      if (!place.values.has(value)) place.values.set(value, at);
    });
  }
  request.once('end', () => response.writeHead(204).end());
});

process.on('message', ({ path, about }: Question) => {
  const { first, values, requests } = placeOf(path);
  const arrived = { first: Object.fromEntries(first), values: Object.fromEntries(values), requests };
  process.send?.(about === 'count' ? { count: first.size } : { arrived });
});
process.on('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
