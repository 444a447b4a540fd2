/** Kinds of ids that the provider can name, by the last words of the key that holds them (D32). */
const NAMEABLE =
  /(?:^|_)(?:agent|alliance|ceo|character|constellation|corporation|creator|faction|region|station|system|type)_id$/;
/** Ids beyond 31 bits are structures and items: the provider's names operation knows none of them. */
const MOST = 2 ** 31 - 1;
/** What one answer may ask names for. */
const MOST_IDS = 10_000;

/** Adds the nameable ids anywhere in an answer, in the order met. Walks without recursion. */
export function findNameable(data: unknown, found: Set<number>): void {
  const waiting: unknown[] = [data];
  while (waiting.length > 0 && found.size < MOST_IDS) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      for (let index = value.length - 1; index >= 0; index -= 1) waiting.push(value[index]);
      continue;
    }
    for (const [key, field] of Object.entries(value)) {
      if (typeof field === 'object') waiting.push(field);
      else if (NAMEABLE.test(key) && isNameable(field) && found.size < MOST_IDS) found.add(field);
    }
  }
}

function isNameable(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) <= MOST;
}
