import type { Bucket } from './budget.queries.ts';
import type { ProviderOperation, RateGroup } from './operations.ts';

/** The maximum cost of an answer in tokens: that of a 4xx. A request waits until its bucket holds that many. */
export const DEAREST_ANSWER = 5;

/** The tokens in a full bucket, and the seconds in which an empty one is filled. */
export type BucketSize = Pick<RateGroup, 'maxTokens' | 'windowSeconds'>;

/** Seconds in which a bucket is refilled by the maximum cost of one answer. */
export function refillSeconds({ maxTokens, windowSeconds }: BucketSize): number {
  return Math.ceil((windowSeconds * DEAREST_ANSWER) / maxTokens);
}

/** The properties of a request that determine which rate bucket is charged. */
interface Charged {
  /** The operation if the document knows it; else `label` names its kind. */
  readonly operation: ProviderOperation | undefined;
  readonly label: string;
  /** The character whose access token is sent; 0 for none. */
  readonly characterId: number;
}

/**
 * Finds the provider's rate bucket that a request is charged to: that of its rate group, for each character. The group
 * is the one that the last answer in this process named, else the document's, which may be older.
 */
interface RateBuckets {
  /** An operation without a rate group has a bucket for its 429s only, and `counted` says that errors are counted. */
  of(request: Charged): { readonly bucket: Bucket; readonly counted: boolean };
  /** Stores the rate group that an answer to this kind of request named; undefined when it belongs to none. */
  learn(label: string, group: string | undefined): void;
}

/** Maximum number of rate groups that are learned from headers; the provider has fewer operations. */
const MOST_LEARNED = 1000;

export function createRateBuckets(): RateBuckets {
  const learned = new Map<string, string>();
  return {
    of({ operation, label, characterId }) {
      const group = learned.get(label) ?? operation?.rateGroup?.name;
      return { bucket: { name: group ?? label, characterId }, counted: group === undefined };
    },
    learn(label, group) {
      if (group === undefined) learned.delete(label);
      else if (learned.has(label) || learned.size < MOST_LEARNED) learned.set(label, group);
    },
  };
}
