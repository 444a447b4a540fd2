import type { Kysely } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { sharedRead } from '../../../server/database/shared-read.ts';
import type { Database } from '../../../server/database/tables.ts';

/** Statements under way: which key each reads, and how it ends. */
let running: { readonly key: string; answer(row: string): void; fail(error: Error): void }[];
let find: (db: Kysely<Database>, key: string) => Promise<string>;
beforeEach(() => {
  running = [];
  find = sharedRead(
    (_db, key: string) =>
      new Promise<string>((answer, fail) => {
        running.push({ key, answer, fail });
      }),
  );
});

const [one, other] = [{} as Kysely<Database>, {} as Kysely<Database>];
const ended = () => new Promise((resolve) => setImmediate(resolve));
const keys = () => running.map(({ key }) => key);

describe('shared reads', () => {
  it('D20: those who ask while a statement is running share the next one, not that one', async () => {
    const first = find(one, 'group');
    const crowd = Array.from({ length: 50 }, () => find(one, 'group'));
    expect(keys()).toEqual(['group']);
    running[0]?.answer('before');
    expect(await first).toBe('before');
    expect(keys()).toEqual(['group', 'group']);
    const late = find(one, 'group');
    running[1]?.answer('after');
    expect(new Set(await Promise.all(crowd))).toEqual(new Set(['after']));
    expect(keys()).toHaveLength(3);
    running[2]?.answer('later');
    expect(await late).toBe('later');
  });

  it('other keys, and other databases, wait for nothing', () => {
    void find(one, 'group');
    void find(one, 'other group');
    void find(other, 'group');
    expect(keys()).toEqual(['group', 'other group', 'group']);
  });

  it('an error is for those who shared its statement; the next one is sent nevertheless', async () => {
    const first = find(one, 'group');
    const second = find(one, 'group');
    running[0]?.fail(new Error('lost'));
    await expect(first).rejects.toThrow('lost');
    await ended();
    running[1]?.answer('found');
    expect(await second).toBe('found');
  });

  it('what nobody waits for is forgotten', async () => {
    const first = find(one, 'group');
    running[0]?.answer('one');
    await first;
    await ended();
    const again = find(one, 'group');
    expect(keys()).toEqual(['group', 'group']);
    running[1]?.answer('two');
    expect(await again).toBe('two');
  });
});
