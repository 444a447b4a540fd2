import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { collectNameable, findNameable } from '../../../server/ext/annotations.ts';
import { answerOf } from '../../../server/provider/answer.ts';
import { bodyOf } from '../../../server/shared/json-body.ts';

function nameableIds(...answers: readonly unknown[]): number[] {
  const found = new Set<number>();
  for (const data of answers) findNameable(data, found);
  return [...found];
}

describe('D32: id_annotations', () => {
  it('finds integers under keys of nameable kinds, at any depth, each once', () => {
    const data = [
      { solar_system_id: 30000142, station_id: 60003760, structure_id: 1_022_000_000_001 },
      {
        items: [
          { type_id: 587, item_id: 1 },
          { type_id: 587, ship_type_id: 588 },
        ],
        ceo_id: 2112000001,
      },
    ];
    expect(new Set(nameableIds(data))).toEqual(new Set([30000142, 60003760, 587, 588, 2112000001]));
  });

  it.each([
    ['contracts', { issuer_id: 1, issuer_corporation_id: 2, assignee_id: 3, acceptor_id: 4 }],
    ['bids', { bidder_id: 1 }],
    ['a wallet', { first_party_id: 1, second_party_id: 2, tax_receiver_id: 3 }],
    ['trades', { client_id: 1, type_id: 2 }],
    ['skills', { skill_id: 1 }],
    ['industry', { installer_id: 1, completed_character_id: 2 }],
    ['a fleet', { fleet_boss_id: 1 }],
    ['sovereignty', { defender_id: 1 }],
    ['wars of factions', { against_id: 1 }],
    ['structures, planets and facilities', { owner_id: 1 }],
  ])('finds who takes part in %s', (_, data) => {
    expect(nameableIds(data)).toEqual(Object.values(data));
  });

  it.each([
    ['contact', ['character', 'corporation', 'alliance', 'faction'], []],
    ['sender', ['character', 'corporation', 'alliance', 'faction'], ['other']],
    ['recipient', ['alliance', 'character', 'corporation'], ['mailing_list']],
    ['shareholder', ['character', 'corporation'], []],
    ['from', ['agent', 'npc_corp', 'faction'], []],
    ['owner', ['corporation', 'faction', 'character', 'alliance'], ['eve_server']],
    ['location', ['station', 'solar_system'], ['item', 'other', 'structure']],
    ['observer', [], ['structure']],
    ['planet', [], ['barren']],
  ])('goes by `…_type` beside the id of a %s', (name, nameable, others) => {
    const found = (kind: string) => nameableIds([{ [`${name}_id`]: 7, [`${name}_type`]: kind }]);
    expect(nameable.map(found)).toEqual(nameable.map(() => [7]));
    expect(others.map(found)).toEqual(others.map(() => []));
  });

  it('goes by context_id_type beside context_id', () => {
    const found = (kind: string) => nameableIds({ context_id_type: kind, context_id: 7 });
    const nameable = ['station_id', 'character_id', 'corporation_id', 'alliance_id', 'system_id', 'type_id'];
    expect(nameable.map(found)).toEqual(nameable.map(() => [7]));
    for (const other of ['structure_id', 'planet_id', 'contract_id', 'eve_system'])
      expect(found(other)).toEqual([]);
  });

  it.each([
    'contact_id sender_id recipient_id shareholder_id from_id context_id location_id facility_id',
    'start_location_id output_location_id item_id group_id planet_id moon_id race_id order_id contract_id',
    'client_type receiver client',
  ])('leaves ids alone that may be of any kind, or of none that has names: %s', (keys) => {
    expect(nameableIds(Object.fromEntries(keys.split(' ').map((key, n) => [key, n + 1])))).toEqual([]);
  });

  it.each([
    { type_id: '587' },
    { type_id: 1.5 },
    { type_id: 0 },
    { type_id: -1 },
    { type_id: 2 ** 31 },
    { type: 587 },
    { my_typeid: 5 },
    587,
    null,
  ])('leaves %j alone', (data) => expect(nameableIds(data)).toEqual([]));

  it('handles any JSON, at any depth', () => {
    fc.assert(fc.property(fc.jsonValue(), (data) => nameableIds(data).every(Number.isInteger)));
    let deep: unknown = { type_id: 7 };
    for (let depth = 0; depth < 200_000; depth += 1) deep = [deep];
    expect(nameableIds(deep)).toEqual([7]);
  });

  it('stops at ten thousand ids, over several answers together', () => {
    const half = (first: number) => Array.from({ length: 6_000 }, (_, n) => ({ type_id: first + n }));
    expect(nameableIds(half(1), half(10_001))).toHaveLength(10_000);
    expect(nameableIds(Array.from({ length: 20_000 }, (_, id) => ({ type_id: id + 1 })))).toHaveLength(
      10_000,
    );
  });
});

describe('D3c, D32: id_annotations of a large answer', () => {
  afterEach(() => vi.restoreAllMocks());

  const KIB = 1024;
  const entry = (type_id: number) => ({ type_id, contract_id: 5, name: `"[{${'x'.repeat(100)}` });

  async function collected(data: unknown): Promise<{ ids: number[]; waits: number; longest: number }> {
    const answer = answerOf({ status: 200, headers: {}, body: bodyOf(Buffer.from(JSON.stringify(data))) });
    const found = new Set<number>();
    const parse = vi.spyOn(JSON, 'parse');
    let waits = 0;
    await collectNameable(answer, found, async () => {
      waits += 1;
    });
    const longest = Math.max(...parse.mock.calls.map(([text]) => text.length));
    parse.mockRestore();
    return { ids: [...found], waits, longest };
  }

  it('are found batch by batch, with room for other work before each', async () => {
    const list = Array.from({ length: 6_000 }, (_, n) => entry(n + 1));
    const { ids, waits, longest } = await collected(list);
    expect(ids).toEqual(nameableIds(list));
    expect(waits).toBeGreaterThanOrEqual(Math.floor(JSON.stringify(list).length / (65 * KIB)));
    expect(longest).toBeLessThan(65 * KIB);
  });

  it('of a list with more than ten thousand ids are the first ones, and the rest is not parsed', async () => {
    const list = Array.from({ length: 30_000 }, (_, n) => entry(n + 1));
    const { ids, waits } = await collected(list);
    expect(ids).toEqual(nameableIds(list));
    expect(waits).toBeLessThan(30);
  });

  it('are found in a small list, and in what is no list', async () => {
    expect(await collected([entry(7)])).toMatchObject({ ids: [7], waits: 0 });
    const large = { type_id: 8, name: 'x'.repeat(100 * KIB) };
    expect(await collected(large)).toMatchObject({ ids: [8], waits: 0 });
  });
});
