import { EXT_SCOPES, type ExtScope } from '../../contract/scopes.ts';

const known: ReadonlySet<string> = new Set(EXT_SCOPES);
const OURS = 'ext-';

/** Converts a scope from our spelling (`ext-`) to the provider's. Scopes are converted in this file only (D37). */
export function toProviderScope(scope: ExtScope, prefix: string): string {
  return scope.startsWith(OURS) ? prefix + scope.slice(OURS.length) : scope;
}

/**
 * Converts the provider's scopes to our spelling, sorted and without duplicates; unknown ones are returned separately
 * (D34b).
 */
export function fromProviderScopes(
  scopes: readonly string[],
  prefix: string,
): { readonly scopes: ExtScope[]; readonly unknown: string[] } {
  // The prefix may be empty, so scopes with the same name on both sides are looked for first.
  const ours = scopes.map((scope) =>
    !known.has(scope) && scope.startsWith(prefix) ? OURS + scope.slice(prefix.length) : scope,
  );
  const distinct = [...new Set(ours)].sort();
  return {
    scopes: distinct.filter((scope): scope is ExtScope => known.has(scope)),
    unknown: distinct.filter((scope) => !known.has(scope)),
  };
}
