import { expect, it } from 'vitest';
import { operations as contracted } from '../../contract/openapi.ts';
import { operations, previews, refused } from './operations.ts';

it('a type test stands for each operation of the contract, and for nothing else', () => {
  const tested = Object.entries(operations).flatMap(([resource, calls]) =>
    Object.keys(calls).map((name) => `${resource}.${name}`),
  );
  expect(tested.sort()).toEqual(
    contracted()
      .map(({ resource, name }) => `${resource}.${name}`)
      .sort(),
  );
});

it('one stands for each preview, too (D121)', () => {
  expect(previews).toHaveLength(contracted().filter(({ metadata }) => metadata.previews).length);
});

it('what a compiler must refuse stands there, too', () => {
  expect(Object.keys(refused).length).toBeGreaterThan(3);
});
