import type { Admission } from '../../server/access/admission.ts';
import type { Line } from '../../server/access/lines.ts';

/** Occupies a place in a line that has one; the returned function leaves it. */
export function occupy(line: Line, key: string): () => void {
  let leave: () => void = () => undefined;
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  // Who does not have to wait is not judged anew.
  void line(key, {} as Admission, () => left);
  return leave;
}
