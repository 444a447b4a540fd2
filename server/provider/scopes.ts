import { EXT_SCOPES, type ExtScope } from '../../contract/scopes.ts';

const known: ReadonlySet<string> = new Set(EXT_SCOPES);
const OURS = 'ext-';

/** The one place where scopes change between our spelling (`ext-`) and the provider's own (D37). */
export function toProviderScope(scope: ExtScope, prefix: string): string {
  return scope.startsWith(OURS) ? prefix + scope.slice(OURS.length) : scope;
}

/** The provider's scopes in our spelling, sorted, without doubles; those that we do not know apart (D34b). */
export function fromProviderScopes(
  scopes: readonly string[],
  prefix: string,
): { readonly scopes: ExtScope[]; readonly unknown: string[] } {
  // A prefix may be empty, so what has the same name on both sides comes first.
  const ours = scopes.map((scope) =>
    !known.has(scope) && scope.startsWith(prefix) ? OURS + scope.slice(prefix.length) : scope,
  );
  const distinct = [...new Set(ours)].sort();
  return {
    scopes: distinct.filter((scope): scope is ExtScope => known.has(scope)),
    unknown: distinct.filter((scope) => !known.has(scope)),
  };
}
