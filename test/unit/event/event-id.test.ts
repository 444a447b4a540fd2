import { describe, expect, it } from 'vitest';
import { eventIds, leastIdOf, momentOf } from '../../../server/event/event-id.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const now = new Date('2026-03-02T07:05:30.125Z');

describe('ids of events', () => {
  it('D90: are UUIDs of version 7, in order, however many are created at once', () => {
    const ids = eventIds(20_000, now);
    for (const id of ids) expect(id).toMatch(UUID_V7);
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(20_000);
  });

  it('D90: differ between two processes that create them in the same millisecond', () => {
    const ids = [...eventIds(1000, now), ...eventIds(1000, now)];
    expect(new Set(ids).size).toBe(2000);
  });

  it('D90: of one millisecond are in the order in which a process created them', () => {
    const ids = Array.from({ length: 200 }, () => eventIds(3, now)).flat();
    expect([...ids].sort()).toEqual(ids);
  });

  it('D90: of one millisecond are in order, even where ids of others come in between', () => {
    const ids = Array.from({ length: 200 }, (_, n) => {
      eventIds(1, new Date(now.getTime() + n + 1));
      return eventIds(3, now);
    }).flat();
    expect([...ids].sort()).toEqual(ids);
  });

  it('D90: begin with the time', () => {
    const [id = ''] = eventIds(1, now);
    expect(momentOf(id)).toEqual(now);
    expect(leastIdOf(now) < id).toBe(true);
    expect(id < leastIdOf(new Date(now.getTime() + 1))).toBe(true);
  });
});
