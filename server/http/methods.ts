import type { AppRoute } from '@ts-rest/core';
import { contract, OIDC_ENDPOINTS } from '../../contract/index.ts';
import { isForPeople } from './html-page.ts';
import { SERVICE_PATHS } from './service-paths.ts';

const routes = [
  ...Object.values(contract).flatMap((resource) => Object.values(resource) as AppRoute[]),
  ...SERVICE_PATHS.map((path) => ({ method: 'GET', path })),
  ...Object.values(OIDC_ENDPOINTS).flatMap(({ path, methods }) =>
    methods.map((method) => ({ method, path })),
  ),
].map(({ method, path }) => ({ method, pattern: patternOf(path) }));

/**
 * A regular expression for a path template: a parameter matches one segment, `:esi_path` the rest of the path unless it
 * begins with `history/`, which is our own (docs/rules.md, "Paths").
 */
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

/** The methods of a path of the API, for the header `Allow`; empty for an unknown path. */
export function allowedMethods(path: string): string[] {
  const methods = new Set(routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method));
  // A GET on a path that browsers are redirected to has side effects, so there is no HEAD for it.
  if (methods.has('GET') && !isForPeople(path)) methods.add('HEAD');
  return [...methods].sort();
}
