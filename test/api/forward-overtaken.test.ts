import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { indexMail } from '../../server/history/mailbox.ts';
import { letIn, pilotsOfExecutor } from '../fixtures/registry.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { empty } from '../harness/database.ts';
import { expireAccessTokens, forgetProvider } from '../harness/provider.ts';
import { send } from '../harness/send.ts';

const ALLIANCE = 99_000_001;
const SCOPES = [
  'publicData',
  'ext-assets.read_assets.v1',
  'ext-mail.read_mail.v1',
  'ext-wallet.read_character_wallet.v1',
] as const;

let app: TestApp;
let dyn: string;
let people: number[];
beforeAll(async () => {
  app = await startTestApp();
  dyn = await app.dynamicToken();
  await letIn(app, { alliances: [ALLIANCE] });
  people = pilotsOfExecutor(app, ALLIANCE);
});
afterAll(() => app.stop());
afterEach(() => {
  vi.restoreAllMocks();
  app.provider.reset();
});

interface Held {
  readonly id: number;
  readonly token: string;
}

async function signIn(): Promise<Held> {
  const id = people.shift() as number;
  const { token } = await app.signIn(id, { dyn, scopes: [...SCOPES] });
  return { id, token };
}

interface Forwarded {
  readonly headers: Readonly<Record<string, string>>;
}

/** Somebody whose assets have one page. */
async function withOnePage(): Promise<Held> {
  const held = await signIn();
  const { json } = await send<Forwarded>(app, 'GET', `/ext/characters/${held.id}/assets`, held);
  await forgetProvider(app);
  return json.headers['x-pages'] === '1' ? held : withOnePage();
}

/** What `ask` is answered where `happen` happens, and 2 s go by, before the provider gives `path`. */
async function overtaken(
  path: `/${string}`,
  ask: () => ReturnType<typeof send>,
  happen: () => Promise<unknown>,
) {
  await expireAccessTokens(app);
  let answer = () => {};
  const until = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const held = app.provider.faults.add(path, { kind: 'hold', until }, { times: 1 });
  const asked = ask();
  await expect.poll(() => held.strikes, { timeout: 10_000 }).toBe(1);
  await happen();
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + 2_000);
  answer();
  return asked;
}

/** The character gets another owner, who signs in. */
async function handOver(id: number) {
  app.provider.world.handOver(id);
  await app.signIn(id, { dyn, scopes: [...SCOPES] });
}

const REFUSED = { status: 401, json: { code: 'token_revoked' } };

describe('D20, D29b: what was asked before and is answered after', () => {
  const wallet = ({ id, token }: Held) => send(app, 'GET', `/ext/characters/${id}/wallet`, { token });

  it('the deletion of the token, whose call waited for an access token: 401', async () => {
    const held = await signIn();
    const logout = () => app.client(held.token).token.logout();
    expect(await overtaken('/v2/oauth/token', () => wallet(held), logout)).toMatchObject(REFUSED);
  });

  it('a hand-over, whose call waited for an access token: the former owner gets nothing by the new one’s', async () => {
    const held = await signIn();
    expect(
      await overtaken(
        '/v2/oauth/token',
        () => wallet(held),
        () => handOver(held.id),
      ),
    ).toMatchObject(REFUSED);
  });

  it('a hand-over, whose call waited for the game: 401', async () => {
    const held = await signIn();
    const path = `/characters/${held.id}/wallet` as const;
    expect(
      await overtaken(
        path,
        () => wallet(held),
        () => handOver(held.id),
      ),
    ).toMatchObject(REFUSED);
  });

  it('the same of the last page of a list', async () => {
    const { id, token } = await withOnePage();
    const path = `/characters/${id}/assets` as const;
    const ask = () => send(app, 'GET', `/ext${path}?all_pages=true`, { token });
    expect(await overtaken(path, ask, () => handOver(id))).toMatchObject(REFUSED);
  });

  it.each(['', '&all_pages=true'])('the same where the names of its ids came late: %s', async (more) => {
    const { id, token } = await signIn();
    await empty(app.db, 'names');
    const ask = () => send(app, 'GET', `/ext/characters/${id}/assets?id_annotations=true${more}`, { token });
    expect(await overtaken('/universe/names', ask, () => handOver(id))).toMatchObject(REFUSED);
  });

  it('the same of the text of a mail', async () => {
    const { id, token } = await signIn();
    app.provider.world.sendMail({
      from: people[0] ?? 0,
      recipients: [{ recipient_id: id, recipient_type: 'character' }],
      subject: 'To the former owner',
      body: 'alone',
    });
    await indexMail(app.app.services, id);
    const { mail_id } = await app.db
      .selectFrom('mailbox_mails')
      .select('mail_id')
      .where('character_id', '=', id)
      .executeTakeFirstOrThrow();
    await forgetProvider(app);
    // As if no job had come to its text yet.
    await app.db.updateTable('mails').set({ body: null }).where('mail_id', '=', mail_id).execute();
    await app.db
      .updateTable('mailbox_mails')
      .set({ wants_body: true })
      .where('mail_id', '=', mail_id)
      .execute();
    const ask = () => send(app, 'GET', `/ext/history/characters/${id}/mail/${mail_id}`, { token });
    const path = `/characters/${id}/mail/${mail_id}` as const;
    expect(await overtaken(path, ask, () => handOver(id))).toMatchObject(REFUSED);
  });
});
