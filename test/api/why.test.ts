import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ok, type Why } from '../../sdk/src/index.ts';
import { recordEvents, userTarget } from '../../server/event/record.ts';
import { allEvents } from '../fixtures/events.ts';
import { statementsOf } from '../fixtures/grants.ts';
import { letIn, setLevel } from '../fixtures/registry.ts';
import { addHome, addMember, addUser, HOME, makeToken, uuidOf } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { mayTouch } from '../harness/model/world.ts';
import { plans } from '../harness/reach/plan.ts';
import { settle } from '../harness/reach/settle.ts';
import { INSUFFICIENT } from '../harness/refusals.ts';
import { send } from '../harness/send.ts';
import { expectPage, TITLES, trySignIn } from '../harness/sign-in.ts';
import { look, type Seen } from '../harness/standings.ts';

const MAIL = 'ext-mail.read_mail.v1';
const [ADA, BRIM, FAR] = [2_112_900_001, 2_112_900_002, 2_112_900_003] as const;

let app: TestApp;
let root: Client;
let ada: Client;

beforeAll(async () => {
  app = await startTestApp();
  root = app.client(app.root);
  await addHome(app);
  ada = app.client((await addMember(app, ADA, 3)).jwt);
  await addMember(app, BRIM);
  await addUser(app, { id: FAR });
});
afterAll(() => app.stop());

function why(character: number | string, about: string, client = root): Promise<Why> {
  return ok(client.user.why({ params: { character: String(character) }, query: { about } }));
}

async function grant(character_id: number, scopes: readonly string[], valid = true): Promise<void> {
  const row = { grant_id: crypto.randomUUID(), character_id, scopes, valid, refresh_token: Buffer.alloc(1) };
  await app.db
    .insertInto('grants')
    .values(row as never)
    .execute();
}

describe('D120: why', () => {
  it('login: what lets the user in, with groups and coalitions that do not count', async () => {
    const answer = await why(ADA, 'login');
    expect(answer).toMatchObject({
      about: 'login',
      answer: 'yes',
      sentence: `Character ${ADA} may log in: let in by the coalition Coalition ${HOME.coalition}.`,
      facts: [
        {
          rule: 'D27',
          source: { type: 'coalition', id: HOME.coalition, name: `Coalition ${HOME.coalition}` },
          via: 'alliance',
          decisive: true,
        },
      ],
      fixes: [],
    });
    expect(answer.as_of).toBe(app.clock.now().toISOString());
  });

  it('login: what bars the user, and who could change it', async () => {
    const banned = await ok(root.group.create({ body: { group_name: 'Banned' } }));
    const body = { add_members: [`Character ${BRIM}`], authorized_to_login: false };
    await ok(root.group.update({ params: banned, body }));
    const answer = await why(BRIM, 'login');
    expect(answer).toMatchObject({
      answer: 'no',
      sentence: `Character ${BRIM} may not log in: kept out by the group Banned.`,
      fixes: [{ who: 'level 9', operation: 'updateGroup' }],
    });
    expect(answer.facts.map(({ source, decisive }) => [source?.name, decisive])).toEqual([
      [`Coalition ${HOME.coalition}`, false],
      ['Banned', true],
    ]);
    await setLevel(app, BRIM, 9);
    expect(await why(BRIM, 'login')).toMatchObject({ answer: 'yes' });
    await setLevel(app, BRIM, 0);
    await ok(root.group.delete({ params: banned }));
    expect(await why(FAR, 'login')).toMatchObject({
      answer: 'no',
      sentence: `Character ${FAR} may not log in: let in by no group or coalition.`,
    });
  });

  it('level: its value and its origin', async () => {
    expect(await why(ADA, 'level')).toMatchObject({
      answer: 'yes',
      sentence: `Character ${ADA} has level 3: it may read what concerns its alliance.`,
      facts: [
        {
          rule: 'D19',
          says: 'Level 3 lasts until it leaves the corporation or loses an office, or the alliance of the corporation changes.',
        },
      ],
    });
    await setLevel(app, ADA, 2);
    expect((await why(ADA, 'level')).facts[0]?.says).toBe(
      'Level 2 lasts until it leaves the corporation or loses an office.',
    );
    await setLevel(app, ADA, 3);
    await addUser(app, { id: 2_112_900_009, level: -1, corporation: HOME.corporation });
    const guest = await why(2_112_900_009, 'level');
    expect(guest).toMatchObject({ answer: 'no', facts: [{ rule: 'D28' }] });
    expect(guest.sentence).toContain(`is a guest of Corporation ${HOME.corporation}`);
  });

  it('tracking: the missing scopes, and what requires them', async () => {
    expect(await why(FAR, 'tracking')).toMatchObject({ answer: 'unknown' });
    const params = { corporation_id: HOME.corporation };
    await ok(root.corporation.update({ params, body: { mandatory_ext_scopes: [MAIL] } }));
    expect((await why(ADA, 'tracking')).sentence).toBe(`Character ${ADA} has granted no refresh token.`);
    await grant(ADA, ['publicData']);
    expect(await why(ADA, 'tracking')).toMatchObject({
      answer: 'no',
      sentence: `The refresh tokens of Character ${ADA} lack ${MAIL}, required by the corporation Corporation ${HOME.corporation}.`,
      fixes: [{ who: `Character ${ADA}`, text: `Sign in again, granting ${MAIL}.`, operation: 'startLogin' }],
    });
    await grant(ADA, [MAIL, 'publicData']);
    expect(await why(ADA, 'tracking')).toMatchObject({ answer: 'yes', fixes: [] });
    await app.db.updateTable('grants').set({ valid: false }).where('character_id', '=', ADA).execute();
    expect((await why(ADA, 'tracking')).sentence).toContain('is valid any more');
    await ok(root.corporation.update({ params, body: { mandatory_ext_scopes: [] } }));
  });

  it('D35: two refresh tokens that cover it together are not enough; it lacks the same as in the compliance', async () => {
    const params = { corporation_id: HOME.corporation };
    const halves = [MAIL, 'ext-skills.read_skills.v1'] as const;
    await ok(root.corporation.update({ params, body: { mandatory_ext_scopes: [...halves] } }));
    await addMember(app, 2_112_900_012);
    const signed_in_on = app.clock.now();
    await app.db
      .updateTable('users')
      .set({ signed_in_on })
      .where('character_id', '=', 2_112_900_012)
      .execute();
    // The ids decide which of the equal ones counts, whichever was stored first.
    for (const [grant_id, scopes] of [
      ['20000000-0000-4000-8000-000000000000', [halves[1]]],
      ['10000000-0000-4000-8000-000000000000', [halves[0]]],
    ] as const) {
      const row = {
        grant_id,
        character_id: 2_112_900_012,
        scopes,
        valid: true,
        refresh_token: Buffer.alloc(1),
      };
      await app.db
        .insertInto('grants')
        .values(row as never)
        .execute();
    }
    const { persons } = await ok(root.corporation.compliance({ params }));
    const seen = persons.flatMap(({ characters }) => characters);
    const { missing_scopes } = seen.find(({ user }) => user.character_id === 2_112_900_012) ?? {};
    expect(missing_scopes).toEqual([halves[1]]);
    expect(await why(2_112_900_012, 'tracking')).toMatchObject({
      answer: 'no',
      sentence: expect.stringMatching(`^No refresh token of .* the best one lacks ${halves[1]}, required by`),
      fixes: [{ text: `Sign in again, granting ${halves.join(', ')}.`, operation: 'startLogin' }],
    });
    await ok(root.corporation.update({ params, body: { mandatory_ext_scopes: [] } }));
  });

  it('login and tracking: via the organization of the user that is a member', async () => {
    const corporation = { corporation_id: HOME.corporation };
    const alliance = { alliance_id: HOME.alliance };
    const coalition = { coalition_id: HOME.coalition };
    const body = { mandatory_ext_scopes: [MAIL as typeof MAIL] };
    await ok(root.corporation.update({ params: corporation, body }));
    await ok(root.alliance.update({ params: alliance, body }));
    await ok(root.coalition.update({ params: coalition, body }));
    const viaOf = async (about: string) =>
      (await why(BRIM, about)).facts.map(({ source, via }) => [source?.type, via]);
    const belongs = [
      ['corporation', null],
      ['alliance', 'corporation'],
    ];
    expect(await viaOf('login')).toEqual([['coalition', 'alliance']]);
    expect(await viaOf('tracking')).toEqual([...belongs, ['coalition', 'alliance']]);
    const both = { add_member_corporations: [HOME.corporation] };
    await ok(root.coalition.update({ params: coalition, body: both }));
    expect(await viaOf('login')).toEqual([['coalition', 'corporation']]);
    expect(await viaOf('tracking')).toEqual([...belongs, ['coalition', 'corporation']]);
    await ok(root.corporation.update({ params: corporation, body: { mandatory_ext_scopes: [] } }));
    await ok(root.alliance.update({ params: alliance, body: { mandatory_ext_scopes: [] } }));
    const back = { remove_member_corporations: [HOME.corporation], mandatory_ext_scopes: [] };
    await ok(root.coalition.update({ params: coalition, body: back }));
  });

  it('group: why the user is a member; a 404 for an unknown group', async () => {
    const made = await ok(root.group.create({ body: { group_name: 'Scouts' } }));
    expect(await why(ADA, `group:${made.group_id}`)).toMatchObject({
      answer: 'no',
      sentence: `Character ${ADA} is no member of Scouts: it was not put into the group.`,
    });
    await ok(root.group.update({ params: made, body: { add_members: [`Character ${ADA}`] } }));
    expect(await why(ADA, `group:${made.group_id.toUpperCase()}`)).toMatchObject({ answer: 'yes' });
    const missing = { params: { character: String(ADA) }, query: { about: `group:${'0'.repeat(24)}` } };
    expect((await root.user.why(missing)).status).toBe(404);
  });

  it('group: an application that is over by its time is none, and a rejected one has to wait (D111)', async () => {
    const made = await ok(root.group.create({ body: { group_name: 'Late' } }));
    const of = (client = root) => why(ADA, `group:${made.group_id}`, client);
    const policy = (body: object) => ok(root.group.setPolicy({ params: made, body }));
    await policy({ joining: 'application', reapply_hours: 48 });
    const { application_id } = await ok(ada.group.apply({ params: made, body: {} }));
    const expired = { expires_on: app.clock.now() };
    await app.db
      .updateTable('applications')
      .set(expired)
      .where('application_id', '=', application_id)
      .execute();
    const apply = { who: `Character ${ADA}`, operation: 'applyToGroup' };
    expect(await of()).toMatchObject({
      facts: [{}, { says: 'Eligible; members join by an application.' }],
      fixes: [{ ...apply, text: 'Apply to the group, and be approved.' }, {}],
    });
    const again = await ok(ada.group.apply({ params: made, body: {} }));
    await ok(root.application.decide({ params: again, body: { decision: 'rejected' } }));
    const from = new Date(app.clock.now().getTime() + 48 * 3_600_000).toISOString();
    const refused = await ada.group.apply({ params: made, body: {} });
    expect(refused).toMatchObject({ status: 409, body: { code: 'reapply_later' } });
    for (const client of [root, ada]) {
      expect(await of(client)).toMatchObject({
        facts: [{}, { says: `Eligible, but was rejected, and may apply again from ${from} on.` }],
        fixes: [{ ...apply, text: `Apply to the group from ${from} on, and be approved.` }, {}],
      });
    }
    // Whom it does not concern learns of no rejection.
    const { jwt } = await addMember(app, 2_112_900_011, 3);
    expect((await of(app.client(jwt))).facts[1]?.says).toBe('Eligible; members join by an application.');
    await policy({ reapply_hours: 0 });
    expect((await of()).fixes[0]).toMatchObject({ ...apply, text: 'Apply to the group, and be approved.' });
  });

  it('group: what its policy says, and which way in there is (D110)', async () => {
    const made = await ok(root.group.create({ body: { group_name: 'Miners' } }));
    const { group_id } = made;
    const of = (character: number, client = root) => why(character, `group:${group_id}`, client);
    const policy = (body: object) => ok(root.group.setPolicy({ params: made, body }));
    const apply = { who: `Character ${ADA}`, operation: 'applyToGroup' };
    const add = { who: 'owner of the group, or level 9', operation: 'updateGroup' };
    expect(await of(ADA)).toMatchObject({ facts: [{ rule: 'D15' }], fixes: [add] });
    await policy({ joining: 'application' });
    expect(await of(ADA)).toMatchObject({
      facts: [{ rule: 'D15' }, { rule: 'D110', source: { id: group_id }, decisive: true }],
      fixes: [apply, add],
    });
    const asked = await ok(ada.group.apply({ params: made, body: {} }));
    expect(await of(ADA)).toMatchObject({
      facts: [{}, { says: 'Eligible; the application is pending.' }],
      fixes: [{ who: 'moderator of the group', operation: 'decideApplication' }, add],
    });
    // Of another's application only those are told who decide it.
    const brim = app.client((await makeToken(app, 'per', BRIM, uuidOf(app.root))).jwt);
    await ok(brim.group.apply({ params: made, body: {} }));
    const pending = 'Eligible; the application is pending.';
    expect((await of(BRIM, brim)).facts[1]?.says).toBe(pending);
    expect((await of(BRIM)).facts[1]?.says).toBe(pending);
    expect((await of(BRIM, ada)).facts[1]?.says).toBe('Eligible; members join by an application.');
    await ok(root.application.decide({ params: asked, body: { decision: 'approved' } }));
    expect(await of(ADA)).toMatchObject({ answer: 'yes', facts: [{}, { rule: 'D110' }], fixes: [] });
    // Who ceases to be eligible stays for the grace.
    await policy({ eligible: { min_level: 7 }, grace_hours: 12 });
    await app.db
      .updateTable('group_members')
      .set({ ineligible_since: app.clock.now() })
      .where('group_id', '=', group_id)
      .where('character_id', '=', ADA)
      .execute();
    const until = new Date(app.clock.now().getTime() + 12 * 3_600_000).toISOString();
    const low = 'the level is too low. It takes 7; the user has';
    expect((await of(ADA)).facts[1]?.says).toBe(
      `Not eligible: ${low} 3. Has to leave after ${until}, unless eligible again.`,
    );
    expect(await of(BRIM)).toMatchObject({ facts: [{}, { says: `Not eligible: ${low} 0.` }], fixes: [add] });
    const other = await ok(root.group.create({ body: { group_name: 'Haulers' } }));
    await letIn(app, { corporations: [98_000_001] });
    for (const [eligible, says] of [
      [{ corporations: [98_000_001] }, 'belongs to none of the organizations that the group is for.'],
      [{ groups_any: [other.group_id] }, 'is in none of the groups that one has to be in.'],
    ] as const) {
      await policy({ eligible });
      expect((await of(BRIM)).facts[1]?.says).toBe(`Not eligible: ${says}`);
    }
    // Whoever may not see the policy is told nothing of it, nor anybody else's alts.
    await policy({ visible_to: 'members', eligible: {}, joining: 'open' });
    const hidden = 'Eligible, but may not see the group, so cannot join it: the owner adds members.';
    expect(await of(BRIM)).toMatchObject({ facts: [{}, { says: hidden }], fixes: [add] });
    expect(await brim.group.apply({ params: made, body: {} })).toMatchObject({ status: 409 });
    expect((await of(BRIM, brim)).facts).toHaveLength(1);
    await policy({ visible_to: 'everyone', reach: 'person' });
    expect((await of(BRIM)).facts).toHaveLength(1);
    expect((await of(BRIM, brim)).facts).toHaveLength(2);
    await app.db.updateTable('groups').set({ owner_id: null }).where('group_id', '=', group_id).execute();
    expect((await of(BRIM)).fixes).toMatchObject([{ who: 'level 9', operation: 'updateGroup' }]);
    await ok(root.group.delete({ params: made }));
  });

  it('tells nobody to do what takes a login that the user lacks', async () => {
    const [open, banned, voice] = await Promise.all(
      ['Open', 'Shut out', 'Talkers'].map((group_name) => ok(root.group.create({ body: { group_name } }))),
    );
    await ok(root.group.setPolicy({ params: open as never, body: { joining: 'open' } }));
    const isVoice = app.db.updateTable('groups').set({ is_voice: true, owner_id: null });
    await isVoice.where('group_id', '=', voice?.group_id as never).execute();
    const asked = ['tracking', `group:${open?.group_id}`, `group:${voice?.group_id}`];
    const fixes = async (of: number = BRIM) => {
      const answers = await Promise.all(asked.map((about) => why(of, about)));
      return answers.map((answer) => answer.fixes.map(({ operation, text }) => `${operation}: ${text}`));
    };
    const signIn = 'startLogin: Sign in again, granting any scope.';
    const [join, prove] = ['applyToGroup: Join the group.', 'startVoiceChallenge: Prove the voice identity.'];
    const add = (of: number) => `updateGroup: Add Character ${of} to the group.`;
    expect(await fixes()).toEqual([[signIn], [join, add(BRIM)], [prove]]);
    const body = { add_members: [`Character ${BRIM}`], authorized_to_login: false };
    await ok(root.group.update({ params: banned as never, body }));
    const first = 'updateGroup: Set authorized_to_login of the group Shut out to true.';
    expect(await fixes()).toEqual([[first, signIn], [add(BRIM)], [first, prove]]);
    // Tokens of an administrator are always accepted (D27b).
    await setLevel(app, FAR, 9);
    expect(await fixes(FAR)).toEqual([[], [join, add(FAR)], [prove]]);
    await setLevel(app, FAR, 0);
    for (const params of [open, banned, voice]) {
      await app.db
        .deleteFrom('groups')
        .where('group_id', '=', params?.group_id as never)
        .execute();
    }
  });

  it('of ids that nobody can have, some do not exist and the others are no question (D3b)', async () => {
    const ask = (id: string) => send(app, 'GET', `/user/${ADA}/why?about=read:${id}`, { token: app.root });
    expect((await ask('9007199254740991')).status).toBe(404);
    expect((await ask('9007199254740992')).status).toBe(422);
  });

  it('the causing event: of a login permission, of a membership, of a level', async () => {
    const made = await ok(root.group.create({ body: { group_name: 'Divers' } }));
    const last = async (type: string) => {
      const { rows } = await sql<{ id: string | null }>`
        select max(event_id::text) as id from events where type = ${type}`.execute(app.db);
      return rows[0]?.id;
    };
    // Ids of events of one moment do not show their order.
    const put = (body: object) => {
      app.clock.advance(1_000);
      return ok(root.group.update({ params: made, body }));
    };
    const vote = async () =>
      (await why(ADA, 'login')).facts.find(({ source }) => source?.name === 'Divers')?.since_event;
    expect((await why(ADA, `group:${made.group_id}`)).facts[0]?.since_event).toBeNull();
    await put({ add_members: [`Character ${ADA}`] });
    const came = await last('group.members_changed');
    expect((await why(ADA, `group:${made.group_id}`)).facts[0]?.since_event).toBe(came);
    await put({ authorized_to_login: true });
    expect(await vote()).toBe(await last('group.updated'));
    // Not an event about another user, nor a change of another field.
    await put({ add_members: [`Character ${BRIM}`], description: 'Deep' });
    expect(await vote()).not.toBe(await last('group.updated'));
    expect((await why(ADA, `group:${made.group_id}`)).facts[0]?.since_event).toBe(came);
    await put({ remove_members: [`Character ${ADA}`] });
    expect((await why(ADA, `group:${made.group_id}`)).facts[0]?.since_event).toBe(
      await last('group.members_changed'),
    );
    const changes = [{ field: 'clearance_level', before: 0, after: 3 }];
    const event = { type: 'user.standing_changed', targets: [userTarget(ADA, 'Ada')], changes } as const;
    const [given] = await recordEvents(app.db, [event], app.clock.now());
    app.clock.advance(1_000);
    await recordEvents(
      app.db,
      [{ ...event, changes: [{ field: 'may_log_in', before: false, after: true }] }],
      app.clock.now(),
    );
    expect((await why(ADA, 'level')).facts[0]?.since_event).toBe(given);
    await ok(root.group.delete({ params: made }));
  });

  it('read and write: the distance, what it results from, and the level it needs', async () => {
    expect(await why(ADA, `read:${BRIM}`)).toMatchObject({
      answer: 'yes',
      sentence: `Character ${ADA} may read Character ${BRIM}: that needs level 1 (both belong to the corporation Corporation ${HOME.corporation}), and Character ${ADA} has 3.`,
    });
    expect(await why(ADA, `write:${FAR}`)).toMatchObject({
      answer: 'no',
      sentence: `Character ${ADA} may not change Character ${FAR}: that needs level 8 (nothing in common), and Character ${ADA} has 3.`,
      fixes: [{ text: `Give Character ${ADA} level 8.`, operation: 'updateUser' }],
    });
    expect(await why(ADA, `write:${ADA}`)).toMatchObject({ answer: 'yes' });
    const missing = { params: { character: String(ADA) }, query: { about: 'read:77' } };
    expect((await root.user.why(missing)).status).toBe(404);
  });

  it('users may ask about themselves, by name too, and about users within their read authority', async () => {
    expect((await why(`Character ${ADA}`, 'level', ada)).answer).toBe('yes');
    expect((await why(BRIM, 'login', ada)).answer).toBe('yes');
    const far = { params: { character: String(FAR) }, query: { about: 'level' } };
    expect(await ada.user.why(far)).toMatchObject({ status: 403, body: { detail: INSUFFICIENT } });
    const nobody = { params: { character: 'Nobody' }, query: { about: 'level' } };
    expect((await ada.user.why(nobody)).status).toBe(404);
  });

  it('contains only what a member of level 0 may look up, so that nothing has to be hidden', async () => {
    const id = 2_112_900_004;
    const client = app.client((await addMember(app, id)).jwt);
    await ok(
      root.coalition.update({
        params: { coalition_id: HOME.coalition },
        body: { mandatory_ext_scopes: [MAIL] },
      }),
    );
    const [groups, coalitions, corporations, alliances] = await Promise.all([
      ok(client.group.list()),
      ok(client.coalition.list()),
      ok(client.corporation.list()),
      ok(client.alliance.list()),
    ]);
    const known = [
      ...groups.map((one) => `group ${one.group_id} ${one.group_name}`),
      ...coalitions.map((one) => `coalition ${one.coalition_id} ${one.coalition_name}`),
      ...corporations.map((one) => `corporation ${one.corporation_id} ${one.corporation_name}`),
      ...alliances.map((one) => `alliance ${one.alliance_id} ${one.alliance_name}`),
    ];
    let sources = 0;
    for (const about of ['login', 'level', 'tracking', `read:${ADA}`, `write:${FAR}`]) {
      for (const { source } of (await why(id, about, client)).facts) {
        if (source === null) continue;
        expect(known).toContain(`${source.type} ${source.id} ${source.name}`);
        sources += 1;
      }
    }
    expect(sources).toBeGreaterThan(2);
    await ok(
      root.coalition.update({ params: { coalition_id: HOME.coalition }, body: { mandatory_ext_scopes: [] } }),
    );
  });

  it('has the position of the last event that it includes', async () => {
    await ok(root.group.create({ body: { group_name: 'Just now' } }));
    const last = (await allEvents(app.db)).at(-1)?.position;
    expect((await why(ADA, 'level')).position).toBe(last);
  });

  it('names the event since which something holds, as far as that is among the last 1,000', async () => {
    const params = { character_id: BRIM };
    await ok(root.user.update({ params, body: { clearance_level: 1 } }));
    await ok(root.user.update({ params, body: { clearance_level: 0 } }));
    const set = (await allEvents(app.db)).filter(({ type }) => type === 'user.standing_changed').at(-1);
    expect((await why(BRIM, 'level')).facts[0]?.since_event).toBe(set?.event_id);
    const targets = [{ type: 'user' as const, id: String(BRIM), name: 'Brim' }];
    const signedIn = Array.from({ length: 1_000 }, () => ({ type: 'user.signed_in' as const, targets }));
    await recordEvents(app.db, signedIn, app.clock.now());
    expect((await why(BRIM, 'level')).facts[0]?.since_event).toBeNull();
  });

  it('refuses invalid questions', async () => {
    for (const about of ['', 'luck', 'group:1', 'read:', 'read:-1', 'read:01', 'group:X', 'login:1']) {
      const path = `/user/${ADA}/why?about=${encodeURIComponent(about)}`;
      expect((await send(app, 'GET', path, { token: app.root })).status, about).toBe(422);
    }
    expect((await send(app, 'GET', `/user/${ADA}/why`, { token: app.root })).status).toBe(422);
  });

  it('needs two statements in addition to that of the token, for any question, and one for a refusal', async () => {
    const made = await ok(root.group.create({ body: { group_name: 'Counted' } }));
    for (const about of [
      'login',
      'level',
      'tracking',
      `group:${made.group_id}`,
      `read:${BRIM}`,
      `write:${FAR}`,
    ]) {
      expect((await statementsOf(app, () => why(ADA, about))).length, about).toBe(3);
    }
    const refused = await statementsOf(app, async () => {
      const asked = { params: { character: String(FAR) }, query: { about: 'level' } };
      expect((await ada.user.why(asked)).status).toBe(403);
    });
    expect(refused).toHaveLength(2);
  });
});

it('D120: the answer equals the decision, for all six questions, on random registries', {
  timeout: 300_000,
}, async () => {
  const answers = new Map<string, number>();
  const property = fc.asyncProperty(plans, fc.infiniteStream(fc.boolean()), async ({ world }, chance) => {
    await settle(app, world);
    const people = [...world.users.values()].filter(({ id }) => id !== 0);
    const clients = new Map<number, Client>();
    for (const { id } of people) {
      clients.set(id, app.client((await makeToken(app, 'per', id, uuidOf(app.root))).jwt));
      if (chance.next().value)
        await grant(id, chance.next().value ? [MAIL] : ['publicData'], chance.next().value);
    }
    for (const { id: coalition_id } of world.coalitions) {
      const body = chance.next().value ? { mandatory_ext_scopes: [MAIL as 'publicData'] } : {};
      await ok(root.coalition.update({ params: { coalition_id }, body }));
    }
    const seen = await look(app, clients);
    const check = async (id: number, about: string, verdict: boolean) => {
      const { answer } = await why(id, about);
      expect(answer === 'yes', `${about} of ${id}`).toBe(verdict);
      const key = `${about.split(':')[0]} ${verdict}`;
      answers.set(key, (answers.get(key) ?? 0) + 1);
    };
    for (const user of people) {
      const { login, level, valid, groups } = seen.users.get(user.id) as NonNullable<
        ReturnType<Seen['users']['get']>
      >;
      await check(user.id, 'login', login);
      await check(user.id, 'level', level >= 0);
      await check(user.id, 'tracking', valid);
      for (const group of seen.groups.keys()) await check(user.id, `group:${group}`, groups.has(group));
      for (const to of people.slice(0, 3)) {
        for (const mode of ['read', 'write'] as const) {
          await check(user.id, `${mode}:${to.id}`, mayTouch(world, user, to, mode));
        }
      }
    }
  });
  const wanted = ['login', 'level', 'tracking', 'group', 'read', 'write'].flatMap((about) => [
    `${about} true`,
    `${about} false`,
  ]);
  for (let round = 0; round === 0 || (round < 30 && wanted.some((one) => !answers.has(one))); round++) {
    await fc.assert(property, { numRuns: 2, endOnFailure: true });
  }
  expect([...answers.keys()]).toEqual(expect.arrayContaining(wanted));
});

it('D120: whoever does what the fixes say turns the answer, on random registries', async () => {
  const turned = new Set<string>();
  const applyFix = async (name: string, { text, operation }: Why['fixes'][number]) => {
    turned.add(operation + text.replaceAll(/"?\b(of|level|into|that|to) .*/g, ''));
    const [, kind, called] =
      /^Set authorized_to_login of the (group|coalition) (.*) to true\.$/.exec(text) ?? [];
    const [, level] = /^Give .* level (\d+)\.$/.exec(text) ?? [];
    const [, host] = /^Put (.*) into a coalition that lets in\.$/.exec(text) ?? [];
    const lets = { authorized_to_login: true };
    if (kind === 'group') {
      const group = (await ok(root.group.list())).find(({ group_name }) => group_name === called);
      await ok(root.group.update({ params: group as never, body: lets }));
    } else if (kind === 'coalition') {
      const found = (await ok(root.coalition.list())).find(({ coalition_name }) => coalition_name === called);
      await ok(root.coalition.update({ params: found as never, body: lets }));
    } else if (level !== undefined) {
      const { character_id } = await ok(root.user.get({ params: { character_name: name } }));
      await ok(root.user.update({ params: { character_id }, body: { clearance_level: Number(level) } }));
    } else if (host !== undefined) {
      const body = (await ok(root.corporation.list())).find(
        ({ corporation_name }) => corporation_name === host,
      );
      const made = await ok(
        root.coalition.create({ body: { coalition_name: `In ${crypto.randomUUID()}`, ticker: 'IN' } }),
      );
      const members = { member_corporations: [body?.corporation_id ?? 0] };
      await ok(root.coalition.update({ params: made, body: members }));
    } else {
      expect(text).toMatch(/^Put .* into a group whose members may log in\.$/);
      const made = await ok(root.group.create({ body: { group_name: `In ${crypto.randomUUID()}` } }));
      await ok(root.group.update({ params: made, body: { ...lets, add_members: [name] } }));
    }
  };
  const property = fc.asyncProperty(plans, async ({ world }) => {
    await settle(app, world);
    const people = [...world.users.values()].filter(({ id }) => id !== 0);
    const questions = people.flatMap(({ id }) => [
      { id, about: 'login' },
      ...people.slice(0, 2).map((to) => ({ id, about: `write:${to.id}` })),
    ]);
    for (const { id, about } of questions) {
      const { answer, fixes } = await why(id, about);
      if (answer !== 'no' || fixes.length === 0) continue;
      const name = await app.db
        .selectFrom('users')
        .select('character_name')
        .where('character_id', '=', id)
        .executeTakeFirstOrThrow();
      for (const fix of fixes) await applyFix(name.character_name, fix);
      expect([id, about, fixes, (await why(id, about)).answer]).toEqual([id, about, fixes, 'yes']);
    }
  });
  for (let round = 0; round === 0 || (round < 9 && turned.size < 2); round++) {
    await fc.assert(property, { numRuns: 3, endOnFailure: true });
  }
  expect(turned.size).toBeGreaterThan(1);
});

it('D120: the page of a refused sign-in contains the sentence of why', async () => {
  const [alliance, member] = [99_000_001, 2_112_000_023];
  const coalition_id = await letIn(app, { alliances: [alliance] });
  const dyn = await app.dynamicToken();
  await app.signIn(member, { dyn });
  await ok(root.coalition.update({ params: { coalition_id }, body: { authorized_to_login: false } }));
  const html = await expectPage(
    await trySignIn(app, { characterId: member }, { dyn }),
    403,
    TITLES.notAllowed,
  );
  const { sentence } = await why(member, 'login');
  expect(sentence).toContain('may not log in: kept out by the coalition Let in');
  expect(html).toContain(`<p>${sentence}</p>`);
});
