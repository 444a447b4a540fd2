import type { ExtScope } from '../../contract/scopes.ts';
import type { ListParameter } from './query.ts';

/** Query parameters that callers may not set: the service decides which access token and which server are used. */
export const RESERVED: ReadonlySet<string> = new Set(['datasource', 'token', 'user_agent']);

/** A token bucket that several operations share (provider.md §2, `x-rate-limit`). */
export interface RateGroup {
  readonly name: string;
  readonly maxTokens: number;
  readonly windowSeconds: number;
}

/** One operation of the game's API, as the provider's own document describes it (D31). */
export interface ProviderOperation {
  readonly method: string;
  /** Unversioned, without a trailing slash: `/characters/{character_id}/skills`. */
  readonly template: string;
  /** Names of the path parameters that are whole numbers. */
  readonly integers: readonly string[];
  /** Names of the query parameters that callers may set: all declared ones except {@link RESERVED}. */
  readonly query: readonly string[];
  /** Those of them that take a list. */
  readonly lists: readonly ListParameter[];
  /** Null when it needs no token. */
  readonly scope: ExtScope | null;
  readonly rateGroup: RateGroup | null;
  /** Takes `page` and answers `X-Pages`. */
  readonly paged: boolean;
  /** Freshness of its answers in seconds, if the document says so. */
  readonly cacheSeconds: number | null;
}

export interface ProviderDocument {
  /** The operation that a path matches; literal segments win over parameters. The method is GET by default. */
  find(path: string, method?: string): ProviderOperation | undefined;
}

/** The provider's OpenAPI document, stored in the database and shared by all processes (D31). */
export interface DocumentStore {
  /**
   * @throws ProviderError when there is no copy and the provider cannot be reached
   */
  current(): Promise<ProviderDocument>;
  /**
   * Fetches the document again, whatever the age of the copy.
   *
   * @throws ProviderError
   */
  refresh(): Promise<void>;
}

/** A node of the tree of path segments. */
interface Branch {
  readonly literals: Map<string, Branch>;
  readonly whole: { next: Branch | undefined };
  readonly any: { next: Branch | undefined };
  readonly operations: Map<string, ProviderOperation>;
}

const newBranch = (): Branch => ({
  literals: new Map(),
  whole: { next: undefined },
  any: { next: undefined },
  operations: new Map(),
});

const WHOLE_NUMBER = /^\d{1,19}$/;

/**
 * Builds a tree of path segments, so that a look-up costs one walk along the path, however many operations there are.
 */
export function createDocument(operations: readonly ProviderOperation[]): ProviderDocument {
  const root = newBranch();
  for (const operation of operations) plant(root, operation);
  return {
    find: (path, method = 'GET') => {
      if (!path.startsWith('/')) return undefined;
      return walk(root, path.slice(1).split('/'), 0, method);
    },
  };
}

function plant(root: Branch, operation: ProviderOperation): void {
  let branch = root;
  for (const segment of operation.template.slice(1).split('/')) {
    const parameter = /^\{(\w+)\}$/.exec(segment)?.[1];
    if (parameter === undefined) {
      const next = branch.literals.get(segment) ?? newBranch();
      branch.literals.set(segment, next);
      branch = next;
    } else {
      const slot = operation.integers.includes(parameter) ? branch.whole : branch.any;
      slot.next ??= newBranch();
      branch = slot.next;
    }
  }
  branch.operations.set(operation.method, operation);
}

/** Walks the tree, trying a literal before a number before any other parameter, with backtracking. */
function walk(
  branch: Branch,
  segments: readonly string[],
  at: number,
  method: string,
): ProviderOperation | undefined {
  const segment = segments[at];
  if (segment === undefined) return branch.operations.get(method);
  const ways = [
    branch.literals.get(segment),
    WHOLE_NUMBER.test(segment) ? branch.whole.next : undefined,
    segment === '' ? undefined : branch.any.next,
  ];
  for (const way of ways) {
    const found = way && walk(way, segments, at + 1, method);
    if (found !== undefined) return found;
  }
  return undefined;
}
