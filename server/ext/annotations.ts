/** Matches keys whose values are ids that the provider can name, by the key's last words (D32). */
const NAMEABLE =
  /(?:^|_)(?:agent|alliance|ceo|character|constellation|corporation|creator|faction|region|station|system|type)_id$/;
/**
 * The largest id that can be named: larger ones are structures and items, which the provider's names operation does not
 * know.
 */
const MOST = 2 ** 31 - 1;
/** Maximum number of ids that are named for one answer. */
const MOST_IDS = 10_000;

/**
 * Collects all nameable ids in an answer, in order of occurrence. Iterative, so that deep nesting cannot overflow the
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
    for (const [key, field] of Object.entries(value)) {
      if (typeof field === 'object') waiting.push(field);
      else if (NAMEABLE.test(key) && isNameable(field) && found.size < MOST_IDS) found.add(field);
    }
  }
}

function isNameable(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) <= MOST;
}
