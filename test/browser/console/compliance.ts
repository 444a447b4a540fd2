import { readFile } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { ok } from '../../../sdk/src/index.ts';
import { ADMINISTRATOR, button, goToPart, open, operator, page, tab, tokenOf } from './stage.ts';
import { faultsOf, TWO_LOOKS } from './walk.ts';

const params = { corporation_id: 98_000_001 };
const FORMULA = '=HYPERLINK("http://127.0.0.1:9/","x")';

describe('D102: who of a corporation complies', () => {
  it('is told person by person, and day by day as a chart with its table', async () => {
    await ok(operator.system.runJob({ params: { job_id: 'note-compliance' } }));
    await vi.waitFor(async () => {
      expect(await ok(operator.corporation.complianceDays({ params }))).toHaveLength(1);
    }, 30_000);
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

  it('is downloaded as CSV, in which names that a spreadsheet would run are text', async () => {
    await page.route(/\/corporation\/98000001\/compliance$/, async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { never_signed_in: object[] };
      body.never_signed_in = [{ character_id: 5, character_name: FORMULA }];
      await route.fulfill({ response, json: body });
    });
    await open(`/corporation/${params.corporation_id}`, await tokenOf(ADMINISTRATOR));
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: /^Download/ }).click();
    const file = await readFile(await (await downloading).path(), 'utf8');
    const lines = file.split('\r\n');
    expect(lines[0]).toBe('\uFEFFPerson,Character,Character id,Status,Why,Since,Days');
    expect(lines.at(-2)).toBe(`,"'=HYPERLINK(""http://127.0.0.1:9/"",""x"")",5,Never signed in,,,`);
    await button('Sign out').waitFor();
  });
});
