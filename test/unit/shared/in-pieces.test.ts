import { describe, expect, it } from 'vitest';
import { inPieces } from '../../../server/shared/in-pieces.ts';

const numbers = Array.from({ length: 1_234 }, (_, n) => n);

describe('D3c: work on a long list', () => {
  it('is done in order, on each element once', async () => {
    const pieces = await inPieces(numbers, (some) => [...some]);
    expect(pieces.flat()).toEqual(numbers);
    expect(pieces.length).toBeGreaterThan(1);
  });

  it('leaves the event loop free between two pieces', async () => {
    const order: string[] = [];
    const free = () => {
      order.push('free');
      if (order.length < 100) setImmediate(free);
    };
    setImmediate(free);
    await inPieces(numbers, () => void order.push('piece'));
    expect(order.join(' ')).not.toContain('piece piece');
  });

  it('takes the fewer elements at once the more each weighs, at least one', async () => {
    const sizes = async (weight: number) => {
      const pieces = await inPieces(
        numbers,
        (some) => [...some],
        () => weight,
      );
      expect(pieces.flat()).toEqual(numbers);
      return Math.max(...pieces.map(({ length }) => length));
    };
    const ordinary = await sizes(1);
    expect(await sizes(ordinary / 10)).toBe(10);
    expect(await sizes(ordinary * 10)).toBe(1);
  });

  it('does nothing with an empty list', async () => {
    expect(await inPieces([], () => 'done')).toEqual([]);
  });
});
