import { routes } from './generated/routes.ts';

/** What the client needs to know about an operation. */
export interface Route {
  readonly resource: string;
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** `?`: has a dry run; `.`: its success has no body; `!`: needs no token. */
  readonly marks: string;
}

const METHODS: Readonly<Record<string, string>> = { '+': 'POST', '=': 'PUT', '-': 'DELETE' };

/** Name, sign, path and marks, each of which is there, though it may be empty. */
const PARTS = /^(\w+)([+=-]?)(.*?)([?.!]*)$/;
type Parts = readonly [all: string, name: string, sign: string, rest: string, marks: string];

/** Maps each operation by `make`, under the names in the contract. */
export function fromRoutes(make: (route: Route) => unknown): object {
  return fromEntries(Object.entries(routes), ([resource, text]) => {
    const [common = '', ...operations] = text.split(' ');
    return [
      resource,
      fromEntries(operations, (operation) => {
        const [, name, sign, rest, marks] = PARTS.exec(operation) as unknown as Parts;
        return [name, make({ resource, name, method: METHODS[sign] ?? 'GET', path: common + rest, marks })];
      }),
    ];
  });
}

function fromEntries<From>(items: readonly From[], entry: (item: From) => [string, unknown]): object {
  return Object.fromEntries(items.map(entry));
}
