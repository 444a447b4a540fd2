import { beforeAll, describe, expect, it } from 'vitest';
import type { HeldChange } from '../../../sdk/src/index.ts';
import { ADMINISTRATOR, focused, open, page, settled, tab, tabTo, tokenOf } from './stage.ts';
import { faultsOf, TWO_LOOKS } from './walk.ts';

const user = (id: number, name: string) => ({ type: 'user' as const, id: String(id), name });
const PEOPLE = Array.from({ length: 60 }, (_, n) => user(2_112_000_100 + n, `Pilot of the wing ${n}`));
const HELD: HeldChange = {
  held_id: 'A'.repeat(43),
  job_id: 'sync-users',
  losers: 60,
  looked_at: 412,
  first_found_on: '2026-03-02T07:30:12.125Z',
  found_on: '2026-03-02T08:00:12.250Z',
  found: 2,
  needed: 3,
  passes_on: '2026-03-02T09:00:00.000Z',
  details: [
    {
      target: { type: 'corporation', id: '98000001', name: 'The corporation that left' },
      field: 'alliance',
      before: 99_000_001,
      after: null,
    },
    ...PEOPLE.flatMap((target) => [
      { target, field: 'clearance_level', before: 4, after: 0 },
      { target, field: 'alliance', before: 99_000_001, after: null },
      { target, field: 'may_log_in', before: true, after: false },
    ]),
  ],
  more: 12,
};

describe('D63: the mass-change desk', () => {
  let administrator: string;
  beforeAll(async () => {
    administrator = await tokenOf(ADMINISTRATOR);
  });

  it('shows whose what would change and when it passes, and lets exactly that through, by keyboard', async () => {
    let held = [HELD];
    const approved: string[] = [];
    await page.route('**/system/held', (route) => route.fulfill({ json: held }));
    await page.route('**/system/job/**', (route) => {
      approved.push(new URL(route.request().url()).search);
      held = [];
      return route.fulfill({ json: { job_id: 'sync-users', run_id: 'run' } });
    });
    await open('/system', administrator);
    await settled();
    await page.getByRole('tab', { name: 'Held back' }).click();
    await page.getByRole('heading', { name: '60 of 412 would lose something' }).waitFor();
    await page.getByRole('link', { name: 'The corporation that left' }).waitFor();
    await settled();
    expect(await faultsOf('desk', TWO_LOOKS)).toEqual([]);
    await tabTo('Let it through');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Let it through' }).and(focused()).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Nothing is held back').waitFor();
    expect(approved).toEqual([`?approve=${HELD.held_id}`]);
    expect(tab.complaints).toEqual([]);
  });
});
