import type { ExtScope } from '../../contract/scopes.ts';

/** Whose access is used, and of which of the provider's servers, is for the service alone to say. */
export const RESERVED: ReadonlySet<string> = new Set(['datasource', 'token', 'user_agent']);

/** A token bucket that several operations share (facts §2, `x-rate-limit`). */
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
  /** Names of the query parameters that somebody may give: all that are declared, but for {@link RESERVED}. */
  readonly query: readonly string[];
  /** Null: asks for no token. */
  readonly scope: ExtScope | null;
  readonly rateGroup: RateGroup | null;
  /** Takes `page` and answers `X-Pages`. */
  readonly paged: boolean;
  /** Seconds that an answer stays fresh, as far as the document says. */
  readonly cacheSeconds: number | null;
}

export interface ProviderDocument {
  /** The operation that a concrete path means; literal segments win over parameters. GET unless said otherwise. */
  find(path: string, method?: string): ProviderOperation | undefined;
}

/** The provider's document, kept in the database and shared by all processes (D31). */
export interface DocumentStore {
  /** Throws ProviderError when there is no copy and the provider cannot be asked. */
  current(): Promise<ProviderDocument>;
  /** Asks the provider again, whatever the age of the copy; throws ProviderError. */
  refresh(): Promise<void>;
}

/** A segment of the templates' tree. */
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

/** Makes the operations findable: one walk over the segments for each look-up, however many there are. */
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

/** Literal before number before anything; a way that ends nowhere is walked back. */
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
