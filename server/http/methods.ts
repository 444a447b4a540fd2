import type { AppRoute } from '@ts-rest/core';
import { contract, OIDC_ENDPOINTS } from '../../contract/index.ts';
import { isForPeople } from './page.ts';
import { SERVICE_PATHS } from './service.ts';

const routes = [
  ...Object.values(contract).flatMap((resource) => Object.values(resource) as AppRoute[]),
  ...SERVICE_PATHS.map((path) => ({ method: 'GET', path })),
  ...Object.values(OIDC_ENDPOINTS).flatMap(({ path, methods }) =>
    methods.map((method) => ({ method, path })),
  ),
].map(({ method, path }) => ({ method, pattern: patternOf(path) }));

/** `/user/:name` matches one segment, `:esi_path` the rest of the path unless that is ours: `history/` (decisions §1). */
function patternOf(path: string): RegExp {
  const source = path
    .split('/')
    .map((part) =>
      part === ':esi_path'
        ? '(?!history(?:/|$)).+'
        : part.startsWith(':')
          ? '[^/]+'
          : part.replaceAll('.', '\\.'),
    )
    .join('/');
  return new RegExp(`^${source}/?$`);
}

/** The methods that a path of the API answers, for `Allow`; empty for an unknown path. */
export function allowedMethods(path: string): string[] {
  const methods = new Set(routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method));
  // Where a browser is sent to, a GET does something, and is no reading.
  if (methods.has('GET') && !isForPeople(path)) methods.add('HEAD');
  return [...methods].sort();
}
