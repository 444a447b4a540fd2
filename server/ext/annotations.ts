import type { ProviderAnswer } from '../provider/answer.ts';
import { giveWay } from '../shared/give-way.ts';
import { entriesOf, inBatches } from './list-entries.ts';

/** Kinds of ids that the provider can name, in the words of its fields `…_type`. */
const KIND =
  /^(?:agent|alliance|character|constellation|corporation|faction|npc_corp|region|solar_system|station|system|type)(?:_id)?$/;
/**
 * Matches keys whose values are ids of these kinds, by the key's last words (D32), where no field `…_type` beside them
 * tells. Not those such as `location_id`, which may be structures and items: one id without a name makes the provider
 * refuse the ids asked for with it.
 */
const NAMEABLE = new RegExp(
  `(?:^|_)(?:${[
    'agent|alliance|ceo|character|constellation|corporation|creator|faction|region|skill|station|system|type',
    // Who takes part in something: a character or an organization.
    'acceptor|against|assignee|bidder|client|defender|fleet_boss|installer|issuer|owner|party|tax_receiver',
  ].join('|')})_id$`,
);
/**
 * The largest id that can be named: larger ones are structures and items, which the provider's names operation does not
 * know.
 */
const MOST = 2 ** 31 - 1;
/** Maximum number of ids that are named for one answer. */
const MOST_IDS = 10_000;
/** Milliseconds that each batch of a large list waits for a busy event loop. */
const GIVES_WAY = 4;

/**
 * Collects all nameable ids in an answer of the provider. A large list is parsed batch by batch: to parse 8 MiB at once
 * holds the event loop for a tenth of a second (D3c).
 *
 * @param before called before each batch, to let other work pass
 */
export async function collectNameable(
  answer: Pick<ProviderAnswer, 'body' | 'data'>,
  found: Set<number>,
  before: () => Promise<void> = () => giveWay(GIVES_WAY),
): Promise<void> {
  const entries = typeof answer.body === 'string' ? undefined : entriesOf(answer.body);
  if (entries === undefined) return findNameable(answer.data, found);
  for (const batch of inBatches(entries)) {
    await before();
    if (found.size >= MOST_IDS) return;
    findNameable(JSON.parse(`[${batch}]`), found);
  }
}

/**
 * Collects all nameable ids in a value, in order of occurrence. Iterative, so that deep nesting cannot overflow the
 * stack.
 */
export function findNameable(data: unknown, found: Set<number>): void {
  const waiting: unknown[] = [data];
  while (waiting.length > 0 && found.size < MOST_IDS) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      for (let index = value.length - 1; index >= 0; index -= 1) waiting.push(value[index]);
      continue;
    }
    const record = value as Readonly<Record<string, unknown>>;
    // Without a list of the fields, which takes more memory than they do.
    for (const key in record) {
      const field = record[key];
      if (typeof field === 'object') waiting.push(field);
      else if (isNameable(field) && isOfKind(key, record) && found.size < MOST_IDS) found.add(field);
    }
  }
}

/** `recipient_type` tells what `recipient_id` is of, `context_id_type` what `context_id` is of. */
function isOfKind(key: string, record: Readonly<Record<string, unknown>>): boolean {
  if (!key.endsWith('_id')) return false;
  const kind = record[`${key.slice(0, -'id'.length)}type`] ?? record[`${key}_type`];
  return typeof kind === 'string' ? KIND.test(kind) : NAMEABLE.test(key);
}

function isNameable(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) <= MOST;
}
