import { useState } from 'react';
import { withTheirs } from './with-theirs.ts';

/** A value that is chosen before it is saved, and follows changes by others meanwhile. */
export function useDraft<Value>(own: Value) {
  const [base, setBase] = useState(own);
  const [draft, setDraft] = useState(own);
  if (own !== base) {
    setBase(own);
    setDraft(withTheirs(draft, base, own));
  }
  return [draft, setDraft] as const;
}
