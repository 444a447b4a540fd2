import { routes } from './generated/routes.ts';

/** An operation as the client needs to know it. */
export interface Route {
  readonly resource: string;
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** `?` where it can be tried beforehand, `.` where its success holds nothing, `!` where it takes no token. */
  readonly marks: string;
}

const METHODS: Readonly<Record<string, string>> = { '+': 'POST', '=': 'PUT', '-': 'DELETE' };

/** What is made of each operation, under the names of the contract. */
export function fromRoutes(make: (route: Route) => unknown): object {
  return fromEntries(Object.entries(routes), ([resource, text]) => {
    const [common = '', ...operations] = text.split(' ');
    return [
      resource,
      fromEntries(operations, (operation) => {
        const [, name = '', sign = '', rest = '', marks = ''] =
          /^(\w+)([+=-]?)(.*?)([?.!]*)$/.exec(operation) ?? [];
        return [name, make({ resource, name, method: METHODS[sign] ?? 'GET', path: common + rest, marks })];
      }),
    ];
  });
}

function fromEntries<From>(items: readonly From[], entry: (item: From) => [string, unknown]): object {
  return Object.fromEntries(items.map(entry));
}
