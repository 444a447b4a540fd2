/** The rate group of an operation (provider.md §2, `x-rate-limit`). */
export interface RateGroup {
  readonly group: string;
  readonly maxTokens: number;
  readonly windowSeconds: number;
}

export interface ErrorBudget {
  readonly remaining: number;
  /** Seconds until the budget is whole again. */
  readonly reset: number;
}

interface TokenBalance {
  readonly remaining: number;
  /** Seconds until the next request fits; 0 when one fits now. */
  readonly wait: number;
}

/** Both limits of the API. All callers share one address here, so the error budget is one. */
export interface Limits {
  errorBudget(): ErrorBudget;
  countError(): void;
  /** `perMinute` is the whole budget; `remaining` sets what is left of the present minute. */
  setErrorLimit(limit: { readonly perMinute?: number; readonly remaining?: number }): void;
  /** What the bucket of this caller in this group holds. */
  balance(group: RateGroup, caller: string): TokenBalance;
  spend(group: RateGroup, caller: string, tokens: number): void;
  /** A group's bucket size, other than the declared one. */
  setRateLimit(group: string, maxTokens: number): void;
  maxTokens(group: RateGroup): number;
  /** Full budgets, declared sizes. */
  reset(): void;
}

/** What was spent of one bucket within its window, and the sum of it. */
interface Spendings {
  readonly entries: { readonly at: number; readonly tokens: number }[];
  /** Entries before this one have come back. */
  first: number;
  tokens: number;
}

const MINUTE = 60_000;
const ERRORS_PER_MINUTE = 100;

/** Tokens that an answer costs: 2 for 2xx, 1 for 3xx, 5 for 4xx but 429, none for 5xx (provider.md §2). */
export function costOf(status: number): number {
  if (status === 429 || status >= 500) return 0;
  if (status >= 400) return 5;
  return status >= 300 ? 1 : 2;
}

/** @param now clock of both windows. */
export function createLimits(now: () => Date): Limits {
  let perMinute = ERRORS_PER_MINUTE;
  let errors = 0;
  let minute = 0;
  const sizes = new Map<string, number>();
  const spendings = new Map<string, Spendings>();

  function turnMinute(): number {
    const at = now().getTime();
    const current = Math.floor(at / MINUTE);
    if (current !== minute) [minute, errors] = [current, 0];
    return at;
  }

  /** What was spent comes back one window later: a floating window. */
  function recent(group: RateGroup, caller: string): Spendings {
    const key = `${group.group} ${caller}`;
    const horizon = now().getTime() - group.windowSeconds * 1_000;
    const spent = spendings.get(key) ?? { entries: [], first: 0, tokens: 0 };
    spendings.set(key, spent);
    for (let oldest = spent.entries[spent.first]; oldest && oldest.at <= horizon; ) {
      spent.tokens -= oldest.tokens;
      oldest = spent.entries[++spent.first];
    }
    // Now and then, so that a busy bucket costs no more than a quiet one.
    if (spent.first * 2 > spent.entries.length) {
      spent.entries.splice(0, spent.first);
      spent.first = 0;
    }
    return spent;
  }

  const maxTokens = (group: RateGroup) => sizes.get(group.group) ?? group.maxTokens;

  return {
    errorBudget() {
      const at = turnMinute();
      return {
        remaining: Math.max(0, perMinute - errors),
        reset: Math.ceil(((minute + 1) * MINUTE - at) / 1_000),
      };
    },
    countError() {
      turnMinute();
      errors++;
    },
    setErrorLimit(limit) {
      turnMinute();
      perMinute = limit.perMinute ?? perMinute;
      if (limit.remaining !== undefined) errors = perMinute - limit.remaining;
    },
    balance(group, caller) {
      const { entries, first, tokens } = recent(group, caller);
      const remaining = Math.max(0, maxTokens(group) - tokens);
      const oldest = entries[first];
      if (remaining > 0 || oldest === undefined) return { remaining, wait: 0 };
      return { remaining, wait: Math.ceil((oldest.at - now().getTime()) / 1_000 + group.windowSeconds) };
    },
    spend(group, caller, tokens) {
      if (tokens === 0) return;
      const spent = recent(group, caller);
      spent.entries.push({ at: now().getTime(), tokens });
      spent.tokens += tokens;
    },
    setRateLimit(group, size) {
      sizes.set(group, size);
    },
    maxTokens,
    reset() {
      perMinute = ERRORS_PER_MINUTE;
      errors = 0;
      sizes.clear();
      spendings.clear();
    },
  };
}
