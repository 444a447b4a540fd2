import type { AppRoute } from '@ts-rest/core';
import { contract } from '../../contract/index.ts';
import { SERVICE_PATHS } from './service.ts';

const routes = [
  ...Object.values(contract).flatMap((resource) => Object.values(resource) as AppRoute[]),
  ...SERVICE_PATHS.map((path) => ({ method: 'GET', path })),
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
  // Completing a sign-in is a GET that a browser is sent to, and no reading.
  if (methods.has('GET') && path !== contract.callback.ext.path) methods.add('HEAD');
  return [...methods].sort();
}
