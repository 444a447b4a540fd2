import { describe, expect, it } from 'vitest';
import { backoffAfter, type Outcome } from '../../../server/webhook/settle.ts';

const NOW = new Date('2026-03-02T07:05:30.000Z');
const inAnHour = new Date(NOW.getTime() + 3_600_000);

function outcome(status: number, retryAfter?: number): Outcome {
  const parcel = { delivery_id: 'one', position: 1, tries: 0, claimed_until: inAnHour };
  return { parcel, url: 'https://bot.example', on: NOW, status, fault: null, retryAfter };
}

describe('D93: the pause that a receiver asked for', () => {
  it('starts with the 429, and is not shortened by answers to pending requests', () => {
    const asked = backoffAfter({ failures: 0, paused_until: null }, [outcome(429, 3_600_000)], NOW);
    expect(asked.paused_until).toEqual(inAnHour);
    expect(backoffAfter(asked, [outcome(200)], NOW).paused_until).toEqual(inAnHour);
    expect(backoffAfter(asked, [outcome(500)], NOW).paused_until).toEqual(inAnHour);
  });

  it('of its own the service makes none that is longer than the first retry, however often it failed', () => {
    const failing = backoffAfter({ failures: 100, paused_until: null }, [outcome(500)], NOW);
    expect(failing.paused_until).toEqual(new Date(NOW.getTime() + 5_000));
  });

  it('ends by itself', () => {
    const before = { failures: 0, paused_until: NOW };
    expect(backoffAfter(before, [outcome(200)], NOW)).toEqual({ failures: 0, paused_until: null });
  });
});
