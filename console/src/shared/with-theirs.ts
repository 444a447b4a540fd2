/** What was chosen on top of what was stored then. */
export interface Chosen<Value> {
  readonly base: Value;
  readonly draft: Value;
}

/** The same choice on top of what is stored now. */
export function onTopOf<Value>(own: Value, { base, draft }: Chosen<Value>): Chosen<Value> {
  return { base: own, draft: withTheirs(draft, base, own) };
}

/**
 * What was chosen here, on top of what others saved since: a part that was not changed here is theirs, and a list that
 * both changed is theirs with what was added here and without what was taken out.
 */
export function withTheirs<Value>(draft: Value, base: Value, own: Value): Value {
  if (same(draft, base)) return own;
  if (same(own, base)) return draft;
  if (Array.isArray(draft) && Array.isArray(own)) {
    const before: readonly unknown[] = Array.isArray(base) ? base : [];
    const added = draft.filter((each) => !before.includes(each) && !own.includes(each));
    const kept = own.filter((each) => draft.includes(each) || !before.includes(each));
    const merged = [...kept, ...added];
    // Where no entry means no restriction, two who each took out one of two must not lift it together.
    return (merged.length > 0 ? merged : draft) as Value;
  }
  if (!isRecord(draft) || !isRecord(base) || !isRecord(own)) return draft;
  const parts = Object.keys(own).map((part) => [part, withTheirs(draft[part], base[part], own[part])]);
  return Object.fromEntries(parts) as Value;
}

/**
 * The parts to save of what was chosen on top of `base`, which is `own` by now. Unchanged ones may contain ids that no
 * longer exist, which the service would refuse, and would undo a change that is not known here yet.
 */
export function changesOf<Parts extends object>(own: Parts, chosen: Parts, base = own): Partial<Parts> {
  const draft = withTheirs(chosen, base, own);
  const parts = Object.keys(draft) as (keyof Parts)[];
  const changed = parts.filter((part) => !same(own[part], draft[part]));
  return Object.fromEntries(changed.map((part) => [part, draft[part]])) as Partial<Parts>;
}

export function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
