import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { EXT_SCOPES } from '../../contract/scopes.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { forgetProvider, otherProcess } from '../harness/provider.ts';

const DAY = 86_400_000;
const SPEC = '/meta/openapi.json';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await app.app.services.document.current();
});
beforeEach(async () => {
  app.provider.reset();
  await forgetProvider(app);
});
afterAll(() => app.stop());

const fetches = () => app.provider.requests.filter(({ path }) => path.endsWith('.json'));
const template = '/characters/{character_id}/skills';
const find = async (store: { current(): Promise<{ find(path: string): unknown }> }) =>
  (await store.current()).find('/characters/2112000001/skills');
const KNOWN = expect.objectContaining({ template, scope: 'ext-skills.read_skills.v1' });
/** Replaces the stored copy by an old one with only one operation. */
const storeOldCopy = () =>
  sql`update provider_document set operations = jsonb_path_query_array(operations, '$[*] ? (@.template == "/status")')`.execute(
    app.db,
  );

describe('D31: the provider’s document is kept in the database', () => {
  it('a process that starts while the provider is unavailable uses the copy', async () => {
    app.provider.faults.add('api', { kind: 'reset' });
    const other = otherProcess(app);
    expect(await find(other.document)).toEqual(KNOWN);
    expect(fetches()).toEqual([]);
    await other.stop();
  });

  it('without a copy it is requested once for all waiting callers, in the former form as well', async () => {
    await sql`delete from provider_document`.execute(app.db);
    app.provider.publishSwagger = true;
    const other = otherProcess(app, { specUrl: `${app.provider.apiUrl}/latest/swagger.json` });
    const found = await Promise.all([find(other.document), find(other.document), find(other.document)]);
    expect(found).toEqual([KNOWN, KNOWN, KNOWN]);
    expect(fetches().map(({ path }) => path)).toEqual(['/api/latest/swagger.json']);
    await other.stop();
  });

  it('D30: a copy stored by a version that kept less of it is not used', async () => {
    await sql`update provider_document set operations =
      (select jsonb_agg(operation - 'query') from jsonb_array_elements(operations) operation)`.execute(
      app.db,
    );
    const other = otherProcess(app);
    expect(await find(other.document)).toEqual(KNOWN);
    expect(fetches()).toHaveLength(1);
    const third = otherProcess(app);
    expect((await third.document.current()).find('/universe/types')).toMatchObject({ query: ['page'] });
    expect(fetches()).toHaveLength(1);
    await third.stop();
    await other.stop();
  });

  it('D31: a copy of another URL or compatibility date, or of a former release, is renewed at once', async () => {
    await app.app.services.document.refresh();
    const asFormerRelease = () =>
      sql`update provider_document set operations =
        (select jsonb_agg(operation - 'source') from jsonb_array_elements(operations) operation)`.execute(
        app.db,
      );
    for (const change of [
      { specUrl: `${app.provider.specUrl}?next` },
      { compatibilityDate: '2025-01-01' },
      undefined,
    ]) {
      if (change === undefined) await asFormerRelease();
      await storeOldCopy();
      const other = otherProcess(app, change);
      // The stored copy serves until then, though it lacks operations.
      expect(await find(other.document)).toBeUndefined();
      await vi.waitFor(async () => expect(await find(other.document)).toEqual(KNOWN), 60_000);
      await other.stop();
    }
    expect(fetches()).toHaveLength(4);
  });

  it('D30: a copy of a release that kept nothing of lists joins them by commas, and is renewed at once', async () => {
    await app.app.services.document.refresh();
    const { compatibilityDate, scopePrefix, specUrl } = app.app.services.settings.extApi;
    const itsSource = createHash('sha256')
      .update(JSON.stringify([specUrl, compatibilityDate, scopePrefix, EXT_SCOPES]))
      .digest('base64url');
    await sql`update provider_document set operations =
      (select jsonb_agg(operation - 'lists' || jsonb_build_object('source', ${itsSource}::text))
        from jsonb_array_elements(operations) operation)`.execute(app.db);
    const other = otherProcess(app);
    const lists = async () => (await other.document.current()).find('/characters/2112000001/mail')?.lists;
    expect(await lists()).toEqual([]);
    await expect.poll(lists).toEqual([{ name: 'labels', separator: '&' }]);
    await other.stop();
    expect(fetches()).toHaveLength(2);
  });

  it('D31: a worker that starts beside the process that renews it has the right one, too, though it never asks', async () => {
    await app.app.services.document.refresh();
    await storeOldCopy();
    app.clock.advance(1_000);
    const change = { compatibilityDate: '2025-01-01' };
    const both = [otherProcess(app, change), otherProcess(app, change)];
    for (const { document } of both) document.start();
    for (const { document } of both)
      await vi.waitFor(
        () => expect(document.known()?.find('/characters/2112000001/skills')).toEqual(KNOWN),
        60_000,
      );
    for (const { stop } of both) await stop();
    expect(fetches()).toHaveLength(2);
  });

  it('D31: while versions of the service with different settings run, each keeps its own copy', async () => {
    await app.app.services.document.refresh();
    const mine = otherProcess(app);
    await mine.document.current();
    app.clock.advance(11 * 60_000);
    const theirs = otherProcess(app, { compatibilityDate: '2025-01-01' });
    await theirs.document.current();
    await vi.waitFor(() => expect(fetches()).toHaveLength(2), 60_000);
    await theirs.document.stop();
    // Of what is stored now, mine must not be replaced.
    await storeOldCopy();
    app.clock.advance(11 * 60_000);
    const known = mine.document.known();
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 61_000);
    await mine.document.current();
    vi.restoreAllMocks();
    await mine.document.stop();
    expect(mine.document.known()).toBe(known);
    expect(fetches()).toHaveLength(2);
    for (const { stop } of [mine, theirs]) await stop();
  });

  it('without a copy and without the provider: an error at first, then loaded in the background', async () => {
    await sql`delete from provider_document`.execute(app.db);
    const away = app.provider.faults.add(SPEC, { kind: 'status', status: 503 });
    const other = otherProcess(app);
    await expect(other.document.current()).rejects.toMatchObject({ fault: 'unusable' });
    other.document.start();
    const told = () => app.logged.filter((line) => /could not be loaded|works again/.test(line));
    await vi.waitFor(() => expect(told()).toHaveLength(1), { timeout: 60_000 });
    expect(away.strikes).toBeGreaterThan(3);
    expect(other.document.known()).toBeUndefined();
    app.provider.faults.clear();
    await vi.waitFor(() => expect(other.document.known()).toBeDefined(), { timeout: 60_000 });
    expect(told()).toEqual([
      expect.stringContaining("the provider's document could not be loaded; trying again"),
      expect.stringContaining("the provider's document: works again"),
    ]);
    await other.stop();
  });

  it('D33: without a copy a failure answers everybody for a while, so that calls do not use up the error limit', async () => {
    await sql`delete from provider_document`.execute(app.db);
    const away = app.provider.faults.add(SPEC, { kind: 'status', status: 404 });
    const other = otherProcess(app);
    for (let calls = 0; calls < 120; calls += 1)
      await expect(other.document.current()).rejects.toMatchObject({ fault: 'unusable' });
    expect(away.strikes).toBe(1);
    expect((await other.client.ask({ path: '/status', on: 'service' })).status).toBe(200);
    app.provider.faults.clear();
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 31_000);
    expect(await find(other.document)).toEqual(KNOWN);
    vi.restoreAllMocks();
    await other.stop();
  });

  it('a failure of the database is not remembered', async () => {
    await sql`delete from provider_document`.execute(app.db);
    const other = otherProcess(app);
    await sql`alter table provider_document rename to away`.execute(app.db);
    await expect(other.document.current()).rejects.toThrow('provider_document');
    await sql`alter table away rename to provider_document`.execute(app.db);
    expect(await find(other.document)).toEqual(KNOWN);
    await other.stop();
  });

  it('an invalid document does not replace the copy', async () => {
    app.provider.faults.add(SPEC, { kind: 'oversized', bytes: 2 * 1024 * 1024 });
    await expect(app.app.services.document.refresh()).rejects.toMatchObject({ fault: 'unusable' });
    expect(await find(app.app.services.document)).toEqual(KNOWN);
    const other = otherProcess(app);
    expect(await find(other.document)).toEqual(KNOWN);
    await other.stop();
  });

  it('after a day one process fetches it for all; the old copy is used until then', async () => {
    await storeOldCopy();
    const processes = [otherProcess(app), otherProcess(app)];
    const stores = processes.map(({ document }) => document);
    for (const store of stores) expect(await find(store)).toBeUndefined();
    app.clock.advance(DAY + 60_000);
    await vi.waitFor(
      async () => {
        for (const store of stores) expect(await find(store)).toEqual(KNOWN);
      },
      { timeout: 60_000, interval: 200 },
    );
    expect(fetches()).toHaveLength(1);
    for (const { stop } of processes) await stop();
  });

  it('D31: one that was fetched while the clock was ahead is renewed at once, for all processes', async () => {
    await storeOldCopy();
    const ahead = new Date(app.clock.now().getTime() + 365 * DAY);
    await sql`update provider_document set fetched_on = ${ahead}, asked_on = ${ahead}`.execute(app.db);
    const processes = [otherProcess(app), otherProcess(app)] as const;
    // The other one may already find what this one has fetched.
    expect(await find(processes[0].document)).toBeUndefined();
    await vi.waitFor(
      async () => {
        for (const { document } of processes) expect(await find(document)).toEqual(KNOWN);
      },
      { timeout: 60_000, interval: 200 },
    );
    expect(fetches()).toHaveLength(1);
    for (const { stop } of processes) await stop();
  });

  it('after a day without the provider the old copy is still used', async () => {
    app.clock.advance(DAY + 60_000);
    const away = app.provider.faults.add(SPEC, { kind: 'status', status: 502, as: 'html' });
    const other = otherProcess(app);
    await vi.waitFor(
      async () => {
        expect(await find(other.document)).toEqual(KNOWN);
        expect(away.strikes).toBeGreaterThan(0);
      },
      { timeout: 60_000, interval: 200 },
    );
    expect(await find(other.document)).toEqual(KNOWN);
    await other.stop();
  });

  it('a stop does not wait for a provider that hangs', async () => {
    await sql`delete from provider_document`.execute(app.db);
    app.provider.faults.add(SPEC, { kind: 'hang' });
    // Longer than the limit of a test.
    const other = otherProcess(app, { limits: { milliseconds: 3_600_000, bytes: 1_000_000 } });
    other.document.start();
    await expect.poll(fetches).toHaveLength(1);
    await other.document.stop();
  });
});
