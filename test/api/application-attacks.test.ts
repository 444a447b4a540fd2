import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Application, type Group, ok } from '../../sdk/src/index.ts';
import { judgeMemberships } from '../../server/application/judge-memberships.ts';
import { noticeHandover } from '../../server/sign-in/notice-handover.ts';
import { apply, decide, joiningScenes, type Person } from '../fixtures/joining.ts';
import { setLevel } from '../fixtures/registry.ts';
import { addOrganizations } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { INSUFFICIENT } from '../harness/refusals.ts';
import { testRun } from '../harness/run.ts';
import { type Problem, send } from '../harness/send.ts';

const [ONE, OTHER] = [98_765_001, 98_765_002] as const;
const FORBIDDEN = { status: 403, body: { detail: INSUFFICIENT } };
const OWN = { status: 403, body: { code: 'forbidden_to_all' } };

let app: TestApp;
let root: Client;
let scenes: ReturnType<typeof joiningScenes>;

beforeAll(async () => {
  app = await startTestApp({ connections: 8 });
  root = app.client(app.root);
  await addOrganizations(app, [{ corporations: [ONE] }, { corporations: [OTHER] }]);
  scenes = joiningScenes(app, 7_200_000, [ONE, OTHER]);
});
afterAll(() => app.stop());

const decidable = async ({ client }: Person) =>
  (await ok(client.application.list({ query: { role: 'moderator' } }))).map((one) => one.application_id);

async function stateOf(params: Group, { application_id }: Application) {
  const all = await ok(root.group.applications({ params }));
  return all.find((one) => one.application_id === application_id)?.state;
}

describe('D111: attack: the characters of one person', () => {
  it('nobody decides the application of another character of the own person, at any level', async () => {
    const { moderator, applicant, params } = await scenes.scene();
    const mighty = await scenes.person(OTHER, 10);
    await scenes.link(moderator, applicant, mighty);
    const asked = await apply(applicant, params);
    for (const own of [moderator, mighty]) {
      expect(await decide(own, asked, 'approved')).toMatchObject(OWN);
      expect(await decidable(own)).not.toContain(asked.application_id);
    }
    const { user_token } = await ok(mighty.client.token.createUserToken());
    expect(await decide({ client: app.client(user_token) }, asked, 'approved')).toMatchObject(OWN);
    await app.db.deleteFrom('persons').execute();
    expect(await decidable(moderator)).toContain(asked.application_id);
    expect((await decide(moderator, asked, 'approved')).status).toBe(200);
  });

  it('D111: whoever has linked characters decides the applications of everybody else', async () => {
    const { moderator, applicant, params } = await scenes.scene();
    const [mighty, alt, other] = [
      await scenes.person(OTHER, 10),
      await scenes.person(OTHER),
      await scenes.person(ONE),
    ];
    await scenes.link(moderator, other);
    await scenes.link(mighty, alt);
    const asked = await apply(applicant, params);
    for (const one of [moderator, mighty]) expect(await decidable(one)).toContain(asked.application_id);
    expect((await decide(moderator, asked, 'approved')).status).toBe(200);
  });

  it('a linked character of a moderator, of an owner or of level 10 has none of their rights', async () => {
    const { owner, moderator, applicant, params } = await scenes.scene({ visible_to: 'eligible' });
    const [mighty, alt] = [await scenes.person(OTHER, 10), await scenes.person(OTHER)];
    await ok(owner.client.group.setPolicy({ params, body: { eligible: { corporations: [ONE] } } }));
    await scenes.link(mighty, alt, owner, moderator);
    const asked = await apply(applicant, params);
    expect(await decide(alt, asked, 'approved')).toMatchObject(FORBIDDEN);
    expect(await decidable(alt)).toEqual([]);
    expect(await alt.client.group.applications({ params })).toMatchObject(FORBIDDEN);
    expect(await alt.client.group.setPolicy({ params, body: { joining: 'open' } })).toMatchObject(FORBIDDEN);
    expect((await alt.client.group.policy({ params })).status).toBe(404);
    expect(await alt.client.group.apply({ params })).toMatchObject({ body: { code: 'joining_closed' } });
  });

  it('a character that may not log in does not affect the others of its person, and they do not let it in', async () => {
    const { applicant, params } = await scenes.scene({ joining: 'open', reach: 'person' });
    const banned = await scenes.person();
    await scenes.link(applicant, banned);
    const shut = await ok(root.group.create({ body: { group_name: `Shut ${scenes.next()}` } }));
    const body = { add_members: [banned.name], authorized_to_login: false };
    await ok(root.group.update({ params: shut, body }));
    expect((await banned.client.group.apply({ params })).status).toBe(401);
    expect((await apply(applicant, params)).state).toBe('approved');
    expect((await ok(applicant.client.person.current())).characters).toHaveLength(2);
  });
});

describe('D111: attack: moderators', () => {
  it('moderators decide applications and nothing else of the group, not even two of them together', async () => {
    const { owner, applicant, params } = await scenes.scene({ eligible: { corporations: [ONE] } });
    const gang = [await scenes.person(), await scenes.person(OTHER)] as const;
    const users = gang.map(({ id }) => id);
    await ok(owner.client.group.setPolicy({ params, body: { moderators: { users } } }));
    const [one, other] = gang;
    for (const { client, name } of gang) {
      expect(await client.group.setPolicy({ params, body: { joining: 'open' } })).toMatchObject(FORBIDDEN);
      expect(await client.group.update({ params, body: { add_members: [name] } })).toMatchObject(FORBIDDEN);
      expect(await client.group.delete({ params })).toMatchObject(FORBIDDEN);
    }
    // Each can approve the other only if the policy allows it.
    expect(await other.client.group.apply({ params })).toMatchObject({ body: { code: 'not_eligible' } });
    expect((await decide(other, await apply(one, params), 'approved')).status).toBe(200);
    const asked = await apply(applicant, params);
    await app.db
      .updateTable('users')
      .set({ corporation_id: OTHER })
      .where('character_id', '=', applicant.id)
      .execute();
    for (const by of gang) {
      expect(await decide(by, asked, 'approved')).toMatchObject({ body: { code: 'not_eligible' } });
    }
    expect((await decide(other, asked, 'rejected')).status).toBe(200);
    expect((await decide(one, asked, 'approved')).status).toBe(409);
  });

  it('others do not learn who applied where, or what was decided', async () => {
    const { moderator, applicant, params } = await scenes.scene({ visible_to: 'members' });
    const { owner } = await scenes.scene();
    await ok(root.group.update({ params, body: { add_members: [applicant.name] } }));
    await ok(root.group.setPolicy({ params, body: { visible_to: 'everyone' } }));
    await ok(applicant.client.group.leave({ params }));
    const asked = await apply(applicant, params);
    await ok(decide(moderator, asked, 'rejected'));
    const seen = async (client: Client) => {
      const about = [`application:${asked.application_id}`, `user:${applicant.id}`];
      const lists = about.map((target) =>
        ok(client.audit.list({ query: { target, type: 'application.decided' } })),
      );
      return (await Promise.all(lists)).flat().length;
    };
    expect(await seen(root)).toBeGreaterThan(0);
    expect(await seen(applicant.client)).toBeGreaterThan(0);
    expect(await seen(owner.client)).toBe(0);
    expect(await ok(owner.client.application.list())).toEqual([]);
    expect(await owner.client.group.applications({ params })).toMatchObject(FORBIDDEN);
    const read = owner.client.user.person({ params: { character: String(applicant.id) } });
    expect(await read).toMatchObject(FORBIDDEN);
  });
});

describe('D111: attack: hostile texts', () => {
  const HOSTILE = [
    '<script>alert(1)</script>',
    '=HYPERLINK("http://127.0.0.1","x")',
    "'; drop table applications; --",
    '\u202Egpj.exe\u202C',
    `a${'\u0301'.repeat(300)}`,
    '\u{1f680}'.repeat(200),
    '{"state":"approved"}',
    ' \t\n',
  ];

  it('are returned unchanged, only to those who may see them', async () => {
    const { moderator, applicant, params } = await scenes.scene({ questions: HOSTILE.slice(0, 7) });
    const answers = HOSTILE.slice(0, 7);
    for (const message of HOSTILE) {
      const asked = await ok(applicant.client.group.apply({ params, body: { message, answers } }));
      expect([asked.message, asked.answers, asked.questions]).toEqual([message, answers, answers]);
      const body = { decision: 'rejected' as const, reason: message, note: message };
      const decided = await ok(moderator.client.application.decide({ params: asked, body }));
      expect([decided.reason, decided.note]).toEqual([message, message]);
      await ok(root.group.setPolicy({ params, body: { reapply_hours: 0 } }));
    }
    const table = await send(app, 'GET', '/audit?type=application.decided', {
      token: app.root,
      headers: { accept: 'text/csv' },
    });
    expect(table.status).toBe(200);
    expect(table.text).not.toMatch(/(^|,)"?=HYPERLINK/m);
  });

  it('with characters that no text may contain are refused', async () => {
    const path = `/application/${'ab'.repeat(12)}`;
    for (const reason of ['"a\\u0000b"', '"\\ud800"', JSON.stringify('x'.repeat(1_001)), '["a"]', '{}']) {
      const body = `{"decision":"rejected","reason":${reason}}`;
      const answer = await send<Problem>(app, 'PUT', path, { token: app.root, body });
      expect(answer.status, reason.slice(0, 9)).toBe(422);
    }
    const { applicant, params } = await scenes.scene();
    expect((await applicant.client.group.apply({ params, body: { message: 'a\0b' } })).status).toBe(422);
  });
});

describe('D111: attack: concurrent requests', () => {
  it('an applicant who is no longer eligible when a waiting approval goes on does not become a member', async () => {
    const { moderator, applicant, params } = await scenes.scene({ eligible: { min_level: 1 } });
    await setLevel(app, applicant.id, 1);
    const asked = await apply(applicant, params);
    const fall = 'update users set clearance_level = 0 where character_id = $1';
    const answer = await meanwhile(app, fall, [applicant.id], () => decide(moderator, asked, 'approved'));
    expect(answer).toMatchObject({ status: 409, body: { code: 'not_eligible' } });
    expect(await scenes.isMember(params, applicant)).toBe(false);
  });

  it('a hand-over during an approval takes effect before it, and the new owner is no member', async () => {
    const { moderator, applicant, params } = await scenes.scene();
    const asked = await apply(applicant, params);
    const seller = app.db.updateTable('users').set({ owner_hash: 'seller' });
    await seller.where('character_id', '=', applicant.id).execute();
    const approval = decide(moderator, asked, 'approved');
    const identity = { characterId: applicant.id, characterName: applicant.name, ownerHash: 'buyer' };
    const handed = noticeHandover(app.app.services, identity);
    const [{ status }] = await Promise.all([approval, handed]);
    expect([200, 409]).toContain(status);
    expect(await scenes.isMember(params, applicant)).toBe(false);
    expect(await stateOf(params, asked)).toBe(status === 200 ? 'approved' : 'void');
  });

  it('of concurrent deciding, withdrawing, closing, judging and deleting one takes effect, and nothing crashes', async () => {
    const seen = new Set<string>();
    for (let round = 0; round < 8; round += 1) {
      const { owner, moderator, applicant, params } = await scenes.scene({ expire_days: 1 });
      const asked = await apply(applicant, params);
      const ending = round % 4;
      const answers = await Promise.all([
        decide(moderator, asked, round % 2 === 0 ? 'approved' : 'rejected'),
        applicant.client.application.withdraw({ params: asked }),
        decide(owner, asked, 'approved'),
        ending === 0 ? owner.client.group.setPolicy({ params, body: { joining: 'closed' } }) : undefined,
        ending === 1 ? judgeMemberships(app.app.services, testRun('judge-memberships')) : undefined,
        ending === 2 ? root.group.delete({ params }) : undefined,
        ending === 3 ? root.user.delete({ params: { character_id: applicant.id } }) : undefined,
      ]);
      const statuses = answers.slice(0, 3).map((answer) => (answer as { status: number }).status);
      expect(statuses.filter((status) => status === 200).length, statuses.join()).toBeLessThanOrEqual(1);
      for (const status of statuses) expect([200, 401, 403, 404, 409]).toContain(status);
      if (ending >= 2) continue;
      const state = await stateOf(params, asked);
      expect(['approved', 'rejected', 'withdrawn', 'void']).toContain(state);
      expect(await scenes.isMember(params, applicant)).toBe(state === 'approved');
      seen.add(String(state));
    }
    expect(seen.size).toBeGreaterThan(0);
    expect(app.logged.filter((line) => line.includes('uncaught'))).toEqual([]);
  });
});
