import { useState } from 'react';

/** The value to show after somebody else changed what is saved from `base` to `own`, while `draft` was chosen here. */
type Rebase<Value> = (draft: Value, base: Value, own: Value) => Value;

/** What was chosen here stays; what was not follows. */
const keepChoice = <Value>(draft: Value, base: Value, own: Value) => (draft === base ? own : draft);

/** A value that is chosen before it is saved, and follows changes by others meanwhile. */
export function useDraft<Value>(own: Value, rebase: Rebase<Value> = keepChoice) {
  const [base, setBase] = useState(own);
  const [draft, setDraft] = useState(own);
  if (own !== base) {
    setBase(own);
    setDraft(rebase(draft, base, own));
  }
  return [draft, setDraft] as const;
}
