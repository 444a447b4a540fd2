import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { ok } from '../../../sdk/src/index.ts';
import {
  ADMINISTRATOR,
  button,
  goToPart,
  OFFICER,
  open,
  openLive,
  operator,
  overflow,
  page,
  requireScopes,
  settled,
  tab,
  tokenOf,
} from './stage.ts';
import { faultsOf, TWO_LOOKS } from './walk.ts';

const params = { corporation_id: 98_000_001 };
const FORMULA = '=HYPERLINK("http://127.0.0.1:9/","x")';

describe('D102: who of a corporation complies', () => {
  it('is told person by person, and day by day as a chart with its table', async () => {
    await ok(operator.system.runJob({ params: { job_id: 'note-compliance' } }));
    await expect.poll(() => ok(operator.corporation.complianceDays({ params }))).toHaveLength(1);
    const { persons, never_signed_in } = await ok(operator.corporation.compliance({ params }));
    const n = persons.filter(({ status }) => status === 'ok').length;
    await open(`/corporation/${params.corporation_id}`, await tokenOf(ADMINISTRATOR));
    await page.getByText(`Complies: ${n}`, { exact: true }).waitFor();
    await page.getByText(`Never signed in: ${never_signed_in.length}`, { exact: true }).waitFor();
    await goToPart('Day by day');
    await page.locator('.uplot').waitFor();
    await page.getByText('Compliance as a table').click();
    const [, row] = await page.getByRole('row').all();
    const [day] = await ok(operator.corporation.complianceDays({ params }));
    expect(await row?.getByRole('cell').allInnerTexts()).toEqual(
      [day?.day, day?.persons, day?.ok, day?.failing].map(String),
    );
    expect(await faultsOf('compliance-days', TWO_LOOKS)).toEqual([]);
    expect(tab.complaints).toEqual([]);
  });

  it('follows what its members grant, while it is looked at', async () => {
    await tokenOf(OFFICER, ['ext-mail.read_mail.v1']);
    const user = await ok(operator.user.get({ params: { character_name: String(OFFICER) } }));
    const own = { corporation_id: Number(user.corporation) };
    const required = ['ext-wallet.read_character_wallet.v1' as const];
    await requireScopes(own.corporation_id, required);
    const complying = async () => {
      const { persons } = await ok(operator.corporation.compliance({ params: own }));
      return page.getByText(`Complies: ${persons.filter(({ status }) => status === 'ok').length}`, {
        exact: true,
      });
    };
    await openLive(`/corporation/${own.corporation_id}`, await tokenOf(ADMINISTRATOR));
    await settled();
    const before = await complying();
    await before.waitFor();
    await tokenOf(OFFICER, required);
    await before.waitFor({ state: 'detached' });
    await (await complying()).waitFor();
  });

  it('can be read on a phone: names are not broken every few letters', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await open(`/corporation/${params.corporation_id}`, await tokenOf(ADMINISTRATOR));
    const table = page.getByRole('region', { name: 'Compliance' }).locator('table');
    expect((await table.boundingBox())?.width).toBeGreaterThan(500);
    expect(await overflow()).toBe(0);
  });

  it('is downloaded as CSV, in which names that a spreadsheet would run are text', async () => {
    await page.route(/\/corporation\/98000001\/compliance$/, async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { never_signed_in: object[]; persons: object[] };
      const state = { status: 'grace', reason: 'no_grant', missing_scopes: [] };
      const [since, grace_until] = ['2026-03-01T18:20:00.000Z', '2026-03-04T18:20:00.000Z'];
      const user = { character_id: 6, character_name: 'Ada Vale' };
      const characters = [{ user, ...state, since, days: 1, grace_until }];
      body.persons = [{ person_id: '66f2a1b3c4d5e6f708192a3e', main: user, status: 'grace', characters }];
      body.never_signed_in = [{ character_id: 5, character_name: FORMULA }];
      await route.fulfill({ response, json: body });
    });
    await open(`/corporation/${params.corporation_id}`, await tokenOf(ADMINISTRATOR));
    await page.getByText('in grace until 2026-03-04 18:20 EVE').waitFor();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: /^Download/ }).click();
    const file = await readFile(await (await downloading).path(), 'utf8');
    const lines = file.split('\r\n');
    expect(lines[0]).toBe('\uFEFFPerson,Character,Character id,Status,Why,Since,Days,Grace until');
    expect(lines[1]).toMatch(/^Ada Vale,Ada Vale,6,In grace,.*,1,2026-03-04T18:20:00\.000Z$/);
    expect(lines.at(-2)).toBe(`,"'=HYPERLINK(""http://127.0.0.1:9/"",""x"")",5,Never signed in,,,,`);
    await button('Sign out').waitFor();
  });
});

describe('D35: one refresh token has to cover all that is required', () => {
  const HALVES = ['ext-mail.read_mail.v1', 'ext-skills.read_skills.v1'] as const;

  it('and whom two cover only together is told so, and grants all of it in one sign-in', async () => {
    await tokenOf(OFFICER, [HALVES[0]]);
    const officer = await tokenOf(OFFICER, [HALVES[1]]);
    const user = await ok(operator.user.get({ params: { character_name: String(OFFICER) } }));
    expect(user.available_ext_scopes).toEqual(expect.arrayContaining([...HALVES]));
    await requireScopes(Number(user.corporation), HALVES);
    await open(`/user/${encodeURIComponent(user.character_name)}`, await tokenOf(ADMINISTRATOR));
    await page.getByRole('region', { name: 'Scopes' }).getByText('No refresh token of').waitFor();
    await open('/', officer);
    const missing = page.getByRole('region', { name: 'What is missing' });
    await missing.getByText('No refresh token of').waitFor();
    await settled();
    expect(await faultsOf('missing', TWO_LOOKS)).toEqual([]);
    const [request] = await Promise.all([
      page.waitForRequest(/\/sign-in$/),
      missing.getByRole('button', { name: 'Grant what is missing' }).click(),
    ]);
    expect(request.postDataJSON().scopes).toEqual(expect.arrayContaining([...HALVES]));
    await page.locator(`button[name=character_id][value="${OFFICER}"]`).click();
    await missing.getByText('Nothing. Everything that is required of you is granted.').waitFor();
    expect(tab.complaints).toEqual([]);
  });
});
