import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { soleId } from '../../server/person/person-id.ts';
import { letIn } from '../fixtures/registry.ts';
import { addUser, uuidOf } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { meanwhile, untilBehind } from '../harness/meanwhile.ts';

const CORPORATION = 98_000_011;
const MEMBERS = [49, 55, 70, 78].map((n) => 2_112_000_000 + n) as [number, number, number, number];
const [ADA, BRIM, CLEO, DANA] = MEMBERS;

let app: TestApp;
let dyn: string;

beforeAll(async () => {
  app = await startTestApp({ connections: 8 });
  dyn = await app.dynamicToken();
  await letIn(app, { alliances: [99_000_001], corporations: [CORPORATION, 98_000_012] });
});
afterAll(() => app.stop());
beforeEach(async () => {
  await app.db.deleteFrom('persons').execute();
});

const signIn = async (id: number) => (await app.signIn(id, { dyn })).token;
const link = (token: string, user_token: string) => app.client(token).person.link({ body: { user_token } });
const unlink = (token: string, character_id: number) =>
  app.client(token).person.unlink({ params: { character_id } });

/** The characters of each person; throws when a person has only one, or a main of another person. */
async function persons(): Promise<number[][]> {
  const { rows } = await sql<{ main: number; characters: number[] }>`
    select main_id as main, array_agg(character_id::bigint order by character_id) as characters
    from persons left join person_characters using (person_id) group by person_id, main_id
    order by 2`.execute(app.db);
  return rows.map(({ main, characters }) => {
    const ids = characters.map(Number);
    expect(ids.length).toBeGreaterThan(1);
    expect(ids).toContain(main);
    return ids;
  });
}

const LOCK = 'select from users where character_id = $1 for update';

describe('D101: concurrent changes', () => {
  it('attack: of two concurrent links of one character one takes effect', async () => {
    const [ada, cleo] = [await signIn(ADA), await signIn(CLEO)];
    const proofs = [await signIn(BRIM), await signIn(BRIM)] as const;
    const answers = await meanwhile(app, LOCK, [BRIM], () =>
      Promise.all([link(ada, proofs[0]), link(cleo, proofs[1])]),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const found = await persons();
    expect(found).toHaveLength(1);
    expect([
      [ADA, BRIM],
      [BRIM, CLEO],
    ]).toContainEqual(found[0]);
  });

  it('attack: a token used twice concurrently proves once', async () => {
    const [ada, cleo, proof] = [await signIn(ADA), await signIn(CLEO), await signIn(BRIM)];
    const answers = await meanwhile(app, LOCK, [BRIM], () =>
      Promise.all([link(ada, proof), link(cleo, proof)]),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
    expect(await persons()).toHaveLength(1);
  });

  it('two characters that link each other concurrently are one person', async () => {
    const [ada, brim] = [await signIn(ADA), await signIn(BRIM)];
    const answers = await meanwhile(app, LOCK, [ADA], () => Promise.all([link(ada, brim), link(brim, ada)]));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await persons()).toEqual([[ADA, BRIM]]);
  });

  it('attack: a hand-over during a link takes effect before it: the token is deleted, and nothing is linked', async () => {
    const [ada, proof] = [await signIn(ADA), await signIn(BRIM)];
    const answer = await meanwhile(
      app,
      LOCK,
      [BRIM],
      () => link(ada, proof),
      async (other) => {
        await other.query('delete from tokens where owner_id = $1', [BRIM]);
      },
    );
    expect(answer.status).toBe(422);
    expect(await persons()).toEqual([]);
  });

  it('attack: a hand-over that waits for a link takes effect after it, and removes the character', async () => {
    const [ada, proof] = [await signIn(ADA), await signIn(BRIM)];
    app.provider.world.handOver(BRIM);
    const hold = "select pg_advisory_xact_lock(hashtext('persons'))";
    const [linked] = await meanwhile(app, hold, [], async () => {
      const linking = link(ada, proof);
      return Promise.all([linking, signIn(BRIM)]);
    });
    expect([200, 422]).toContain(linked.status);
    expect(await persons()).toEqual([]);
  });

  it('a deletion during a link leaves no person of one character', async () => {
    const [ada, proof] = [await signIn(ADA), await signIn(BRIM)];
    const [linked, deleted] = await meanwhile(app, LOCK, [ADA], () =>
      Promise.all([link(ada, proof), app.client(app.root).user.delete({ params: { character_id: BRIM } })]),
    );
    expect(deleted.status).toBe(200);
    expect([200, 422]).toContain(linked.status);
    expect(await persons()).toEqual([]);
  });

  const root = () => app.client(app.root);
  const reason = 'told by its player';
  it.each([
    ['a deletion', [ADA, CLEO], () => root().user.delete({ params: { character_id: BRIM } })],
    [
      'a split',
      [ADA, CLEO],
      (person_id: string) =>
        root().person.split({ params: { person_id }, body: { characters: [BRIM], reason } }),
    ],
    [
      'a merge',
      [ADA, BRIM, CLEO, DANA],
      (person_id: string) =>
        root().person.merge({ params: { person_id }, body: { person_id: soleId(DANA), reason } }),
    ],
    ['a link', [ADA, BRIM, CLEO, DANA], (_: string, ada: string, dana: string) => link(ada, dana)],
  ] as const)('%s waits for whoever changes the person at that moment', async (_, members, change) => {
    const [ada, brim, dana] = [await signIn(ADA), await signIn(BRIM), await signIn(DANA)];
    await signIn(CLEO);
    expect((await link(ada, brim)).status).toBe(200);
    const person = await app.db.selectFrom('persons').select('person_id').executeTakeFirstOrThrow();
    const joining = 'insert into person_characters (person_id, character_id) values ($1, $2)';
    const { status } = await meanwhile(
      app,
      "select pg_advisory_xact_lock(hashtext('persons'))",
      [],
      (): Promise<{ status: number }> => change(person.person_id, ada, dana),
      (other) => other.query(joining, [person.person_id, CLEO]),
    );
    expect(status).toBe(200);
    expect(await persons()).toEqual([members]);
  });

  it('a merge with a character that is registered after its locks, and deleted, is a 404', async () => {
    await signIn(ADA);
    const id = 2_197_300_001;
    const { person } = app.client(app.root);
    const deleter = new pg.Client({ connectionString: app.databaseUrl });
    await deleter.connect();
    let merged: Promise<{ status: number }> | undefined;
    const merge = () => {
      const body = { person_id: soleId(id), reason: 'one human' };
      merged = person.merge({ params: { person_id: soleId(ADA) }, body });
      return Promise.race([merged, untilBehind(deleter, 1)]);
    };
    try {
      // The lock of the caller's token comes after those of users.
      const token = 'select from tokens where uuid = $1 for update';
      await meanwhile(app, token, [uuidOf(app.root)], merge, async () => {
        await addUser(app, { id });
        await deleter.query('begin');
        await deleter.query('delete from users where character_id = $1', [id]);
      });
      await deleter.query('commit');
    } finally {
      await deleter.end();
    }
    expect(await merged).toMatchObject({ status: 404 });
    expect(await persons()).toEqual([]);
  });

  it('after any concurrent changes each character is of one person, and all persons are valid', async () => {
    const tokens = new Map<number, string>();
    for (const id of MEMBERS) tokens.set(id, await signIn(id));
    for (let round = 0; round < 3; round += 1) {
      const proofs = await Promise.all(MEMBERS.map((id) => signIn(id)));
      const statuses = await Promise.all(
        MEMBERS.flatMap((id, n) => {
          const token = tokens.get(id) as string;
          const other = (n + 1 + (round % 3)) % MEMBERS.length;
          return [
            link(token, proofs[other] as string),
            unlink(token, MEMBERS[other] as number),
            app.client(token).person.update({ body: { main: MEMBERS[other] as number } }),
          ];
        }),
      );
      for (const { status } of statuses) expect([200, 404, 409, 422]).toContain(status);
      const all = (await persons()).flat();
      expect(new Set(all).size).toBe(all.length);
    }
  });
});
