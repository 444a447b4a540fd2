import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../server/access/caller.queries.ts';
import { createWaitingRoom } from '../../../server/feed/waiting.ts';

/** Most requests of all callers, and those that callers below level 7 may take part in. */
const [ALL, BELOW] = [1_000, 800];

describe('D92: the requests that wait for events', () => {
  const caller = (owner_id: number, level: number) => ({ owner_id, sponsor_id: null, level }) as Caller;
  const crowded = expect.objectContaining({ code: 'too_many_waiting' });

  /** Lets as many in as there is room for, each of another caller. */
  function fill(enter: ReturnType<typeof createWaitingRoom>, level: number): (() => void)[] {
    const leaves: (() => void)[] = [];
    for (;;) {
      try {
        leaves.push(enter(caller(leaves.length + 1, level)));
      } catch (error) {
        expect(error).toEqual(crowded);
        return leaves;
      }
    }
  }

  it('those below level 7 leave places to the others', () => {
    const enter = createWaitingRoom();
    const leaves = fill(enter, 6);
    expect(leaves).toHaveLength(BELOW);
    expect(fill(enter, 7)).toHaveLength(ALL - BELOW);
    for (const leave of leaves) leave();
    expect(fill(enter, 0)).toHaveLength(BELOW - (ALL - BELOW));
  });
});
