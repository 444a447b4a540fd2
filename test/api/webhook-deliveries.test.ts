import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ok } from '../../sdk/src/index.ts';
import { inTransaction } from '../../server/database/transaction.ts';
import { readPosition } from '../../server/event/read.queries.ts';
import { recordEvents } from '../../server/event/record.ts';
import { createVault } from '../../server/keys/vault.ts';
import { createSemaphore } from '../../server/shared/semaphore.ts';
import { handOver } from '../../server/sign-in/sign-in.queries.ts';
import { giveUpTokens } from '../../server/token/give-up-tokens.ts';
import { deleteWebhook } from '../../server/webhook/delete-webhooks.queries.ts';
import { CLAIMED_FOR, deleteEndedBefore, findWork } from '../../server/webhook/delivery.queries.ts';
import { openLane } from '../../server/webhook/lane.ts';
import { secretBinding } from '../../server/webhook/secret.ts';
import { settle } from '../../server/webhook/settle.ts';
import { type Parcel, take } from '../../server/webhook/take.ts';
import { lockWebhook, replaceSecrets, WebhookLocked } from '../../server/webhook/webhook.queries.ts';
import { allSealed } from '../fixtures/events.ts';
import { addHome, addMember, makeToken, uuidOf } from '../fixtures/users.ts';
import { addGroup, addWebhook } from '../fixtures/webhooks.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';

/** Nothing is sent here: deliveries are claimed and settled as a worker does it, in whatever order. */
const HERE = { callback: 'http://127.0.0.1:9/in' };
const ELSEWHERE = { callback: 'http://127.0.0.1:9/elsewhere' };
const OTHER_PORT = { callback: 'http://127.0.0.1:10/in' };
const OTHER_HOST = { callback: 'http://localhost:9/in' };

let app: TestApp;
let root: Client;
let made = 0;

beforeAll(async () => {
  app = await startTestApp({ connections: 8 });
  root = app.client(app.root);
  await addHome(app);
});
afterEach(async () => {
  await app.db.deleteFrom('webhooks').execute();
});
afterAll(() => app.stop());

/** A webhook for new groups. */
async function webhookOf(token = app.root): Promise<string> {
  return (await addWebhook(app, HERE, { types: ['group.created'] }, token)).webhook_id;
}

async function newGroup(): Promise<void> {
  await addGroup(app, `Settled ${++made}`);
  await allSealed(app.db);
}

async function claimed(webhookId: string): Promise<readonly Parcel[]> {
  return (await take(app.app.services, webhookId, 100))?.parcels ?? [];
}

async function oneClaimed(webhookId: string): Promise<Parcel> {
  const [parcel, ...others] = await claimed(webhookId);
  if (parcel === undefined || others.length > 0) throw new Error('not exactly one was claimed');
  return parcel;
}

async function settled(webhookId: string, parcel: Parcel, status: number, at = HERE): Promise<void> {
  const outcome = {
    parcel,
    url: at.callback,
    on: app.clock.now(),
    status,
    fault: null,
    retryAfter: undefined,
  };
  await settle(app.app.services, webhookId, [outcome], []);
}

/** Begins to deliver as a worker does, and stops at once. */
async function wakeAndStop(webhookId: string): Promise<void> {
  const traffic = { lanes: () => 1, requests: 0 };
  const lane = openLane(app.app.services, webhookId, createSemaphore(1), traffic, () => undefined);
  lane.wake();
  await lane.stop();
}

/** Milliseconds of a pause that a receiver asks for. */
const PAUSE = 7_200_000;

/** A webhook whose receiver answered to the first delivery by asking for a pause. */
async function paused(): Promise<{ readonly webhook_id: string; readonly parcel: Parcel }> {
  const webhook_id = await webhookOf();
  await newGroup();
  const parcel = await oneClaimed(webhook_id);
  const busy = { parcel, url: HERE.callback, on: app.clock.now(), status: 503, fault: null };
  await settle(app.app.services, webhook_id, [{ ...busy, retryAfter: PAUSE }], []);
  return { webhook_id, parcel };
}

/** When the next work of the only webhook is due. */
const due = async () => (await findWork(app.db, app.clock.now()))[0]?.next.getTime();

const group = (n: number) => ({ type: 'group' as const, id: n.toString(16).padStart(24, '0'), name: null });

function deliveriesOf(webhook_id: string) {
  return ok(root.webhook.listDeliveries({ params: { webhook_id } }));
}

const retry = (webhook_id: string, { delivery_id }: Parcel) =>
  ok(root.webhook.retry({ params: { webhook_id, delivery_id } }));

describe('D93: an event that two webhooks deliver', () => {
  it('D93: is withheld from the one whose owner may not see it any more, and delivered by the other', async () => {
    const { id } = await addMember(app, 2_152_000_001, 7);
    const { jwt } = await makeToken(app, 'per', id);
    const [one, other] = [await webhookOf(jwt), await webhookOf()];
    await newGroup();
    const parcels = [await oneClaimed(one), await oneClaimed(other)] as const;
    expect(parcels[0].delivery_id).toBe(parcels[1].delivery_id);
    await app.db.updateTable('users').set({ clearance_level: 0 }).where('character_id', '=', id).execute();
    app.clock.advance(CLAIMED_FOR);
    expect(await claimed(one)).toEqual([]);
    expect(await deliveriesOf(one)).toMatchObject([{ state: 'failed', fault: 'withheld' }]);
    expect(await deliveriesOf(other)).toMatchObject([{ state: 'waiting', fault: null }]);
    // Nor is it tried again when the webhook is enabled anew: that means what failed on its way.
    for (const enabled of [false, true]) {
      await ok(app.client(jwt).webhook.update({ params: { webhook_id: one }, body: { enabled } }));
    }
    expect(await deliveriesOf(one)).toMatchObject([{ state: 'failed', fault: 'withheld' }]);
  });

  it('D93: is delivered again by the one that is asked to', async () => {
    const [one, other] = [await webhookOf(), await webhookOf()];
    await newGroup();
    for (const id of [one, other]) await settled(id, await oneClaimed(id), 204);
    const [delivery] = await deliveriesOf(one);
    await retry(one, delivery as unknown as Parcel);
    expect(await deliveriesOf(one)).toMatchObject([{ state: 'waiting' }]);
    expect(await deliveriesOf(other)).toMatchObject([{ state: 'delivered' }]);
  });
});

describe('D93: a delivery that waits', () => {
  it('D93: stays when the events after it are delivered again', async () => {
    const webhook_id = await webhookOf();
    await newGroup();
    const first = await oneClaimed(webhook_id);
    await settled(webhook_id, first, 500);
    await newGroup();
    await settled(webhook_id, await oneClaimed(webhook_id), 500);
    await ok(root.webhook.replay({ params: { webhook_id }, body: { after: Number(first.position) } }));
    expect(await deliveriesOf(webhook_id)).toMatchObject([{ delivery_id: first.delivery_id, tries: 1 }]);
  });

  it('D93: stays however long ago it was tried, as its webhook may be disabled for a month', async () => {
    const webhook_id = await webhookOf();
    await newGroup();
    await settled(webhook_id, await oneClaimed(webhook_id), 500);
    app.clock.advance(1000);
    await deleteEndedBefore(app.db, app.clock.now(), 100);
    expect(await deliveriesOf(webhook_id)).toMatchObject([{ state: 'waiting', tries: 1 }]);
  });

  it('D93: is looked for when the pause is over that the receiver asked for, or when it is retried', async () => {
    const { webhook_id, parcel } = await paused();
    await newGroup();
    expect(await due()).toBe(app.clock.now().getTime() + PAUSE);
    expect(await claimed(webhook_id)).toEqual([]);
    await retry(webhook_id, parcel);
    expect(await due()).toBe(app.clock.now().getTime());
    expect((await claimed(webhook_id))[0]).toMatchObject({ delivery_id: parcel.delivery_id });
  });

  it('D93: stays however many tests are asked for', async () => {
    const webhook_id = await webhookOf();
    await newGroup();
    const { delivery_id } = await oneClaimed(webhook_id);
    app.clock.advance(1000);
    for (let n = 0; n < 11; n += 1) await ok(root.webhook.test({ params: { webhook_id } }));
    const kept = await deliveriesOf(webhook_id);
    expect(kept.filter(({ type }) => type === 'webhook.test')).toHaveLength(10);
    expect(kept.filter(({ type }) => type !== 'webhook.test')).toMatchObject([{ delivery_id }]);
  });
});

describe('D93: the pause that a receiver asked for', () => {
  it('D93: stays at a replay, with the failures', async () => {
    const { webhook_id, parcel } = await paused();
    const body = { after: Number(parcel.position) - 1 };
    const replayed = await ok(root.webhook.replay({ params: { webhook_id }, body }));
    expect(replayed).toMatchObject({ failures: 1, position: body.after });
    expect(await due()).toBe(app.clock.now().getTime() + PAUSE);
    expect(await claimed(webhook_id)).toEqual([]);
    app.clock.advance(PAUSE);
    expect(await oneClaimed(webhook_id)).toMatchObject({ delivery_id: parcel.delivery_id, tries: 0 });
  });

  it.each([
    ['stays at another URL of the same host', ELSEWHERE, 1, PAUSE],
    ['stays at another port of the same host', OTHER_PORT, 1, PAUSE],
    ['ends at another host', OTHER_HOST, 0, 0],
  ])('D93: %s, with the failures', async (_, { callback: url }, failures, left) => {
    const { webhook_id, parcel } = await paused();
    const changed = await ok(root.webhook.update({ params: { webhook_id }, body: { url } }));
    expect(changed).toMatchObject({ url, failures, waiting: 1 });
    expect(await due()).toBe(app.clock.now().getTime() + left);
    app.clock.advance(left);
    expect(await oneClaimed(webhook_id)).toMatchObject({ delivery_id: parcel.delivery_id, tries: 0 });
  });
});

describe('D93: a replay', () => {
  it('D93: from beyond what was taken up leaves out nothing that was not delivered yet', async () => {
    const webhook_id = await webhookOf();
    const params = { webhook_id };
    await ok(root.webhook.update({ params, body: { enabled: false } }));
    const { position } = await ok(root.webhook.get({ params }));
    for (let n = 0; n < 3; n += 1) await newGroup();
    const after = (await readPosition(app.db)) - 1;
    expect(await ok(root.webhook.replay({ params, body: { after } }))).toMatchObject({ position });
    await ok(root.webhook.update({ params, body: { enabled: true } }));
    expect(await claimed(webhook_id)).toHaveLength(3);
  });
});

describe('D93: the answer to a delivery', () => {
  it('D93: counts if it is a 2xx, though a retry was asked for meanwhile', async () => {
    const webhook_id = await webhookOf();
    await newGroup();
    await settled(webhook_id, await oneClaimed(webhook_id), 500);
    app.clock.advance(10_000);
    const again = await oneClaimed(webhook_id);
    await retry(webhook_id, again);
    await settled(webhook_id, again, 204);
    expect(await deliveriesOf(webhook_id)).toMatchObject([{ state: 'delivered' }]);
  });

  it('D93: counts if it is a 2xx, though the URL was changed meanwhile: it is sent to one of them', async () => {
    const webhook_id = await webhookOf();
    await newGroup();
    const parcel = await oneClaimed(webhook_id);
    await ok(root.webhook.update({ params: { webhook_id }, body: { url: ELSEWHERE.callback } }));
    await settled(webhook_id, parcel, 204);
    expect(await deliveriesOf(webhook_id)).toMatchObject([{ state: 'delivered' }]);
    expect(await claimed(webhook_id)).toEqual([]);
  });

  it('D93: that another process got in time stands, whatever becomes of this claim', async () => {
    const webhook_id = await webhookOf();
    await newGroup();
    const slow = await oneClaimed(webhook_id);
    app.clock.advance(CLAIMED_FOR);
    await settled(webhook_id, await oneClaimed(webhook_id), 204);
    await settle(app.app.services, webhook_id, [], [slow]);
    for (const status of [500, 204]) await settled(webhook_id, slow, status);
    expect(await deliveriesOf(webhook_id)).toMatchObject([{ state: 'delivered', tries: 1, status: 204 }]);
  });

  it('D93: that failed at a former URL is no failure of the present one', async () => {
    const webhook_id = await webhookOf();
    await newGroup();
    const parcel = await oneClaimed(webhook_id);
    const params = { webhook_id };
    await ok(root.webhook.update({ params, body: { url: ELSEWHERE.callback } }));
    await settled(webhook_id, parcel, 500);
    expect(await ok(root.webhook.get({ params }))).toMatchObject({ failures: 0, waiting: 1 });
    expect(await claimed(webhook_id)).toMatchObject([{ delivery_id: parcel.delivery_id, tries: 0 }]);
  });
});

describe('D93: the pause before the next try', () => {
  it.each([
    ['no answer in time', 10_000, { status: null, fault: 'TimeoutError', retryAfter: undefined }, 5_000],
    ['a Retry-After that came late', 9_000, { status: 500, fault: null, retryAfter: 8_000 }, 8_000],
  ])('D93: begins when the try has ended: %s', async (_, took, result, pause) => {
    const webhook_id = await webhookOf();
    await newGroup();
    const parcel = await oneClaimed(webhook_id);
    const on = app.clock.now();
    app.clock.advance(took);
    await settle(app.app.services, webhook_id, [{ parcel, url: HERE.callback, on, ...result }], []);
    const [delivery] = await deliveriesOf(webhook_id);
    expect(delivery).toMatchObject({ tries: 1, tried_on: on.toISOString() });
    const ended = app.clock.now().getTime();
    expect(Date.parse(delivery?.next_try_on ?? '')).toBeGreaterThanOrEqual(ended + pause);
  });
});

describe('D93: a claim', () => {
  it.each([
    ['expired', async () => app.clock.advance(CLAIMED_FOR)],
    [
      'ended with a replay',
      async (webhook_id: string, { position }: Parcel) => {
        app.clock.advance(1000);
        await ok(root.webhook.replay({ params: { webhook_id }, body: { after: Number(position) - 1 } }));
      },
    ],
  ])('D93: of another process stays, whatever is released of one that has %s', async (_, end) => {
    const webhook_id = await webhookOf();
    await newGroup();
    const former = await oneClaimed(webhook_id);
    await end(webhook_id, former);
    const present = await oneClaimed(webhook_id);
    await settle(app.app.services, webhook_id, [], [former]);
    await settled(webhook_id, former, 500, ELSEWHERE);
    expect(await claimed(webhook_id)).toEqual([]);
    await settle(app.app.services, webhook_id, [], [present]);
    await oneClaimed(webhook_id);
  });

  it('D93: waits for nobody who has locked the webhook, and says so', async () => {
    const webhook_id = await webhookOf();
    await newGroup();
    await inTransaction(app.db, async (tx) => {
      await lockWebhook(tx, webhook_id);
      await expect(claimed(webhook_id)).rejects.toThrow(WebhookLocked);
      await expect(settle(app.app.services, webhook_id, [], [])).rejects.toThrow(WebhookLocked);
    });
    await oneClaimed(webhook_id);
  });

  it('D93: is not waited for at a stop, however long somebody has locked the webhook', async () => {
    const webhook_id = await webhookOf();
    await newGroup();
    await inTransaction(app.db, async (tx) => {
      await lockWebhook(tx, webhook_id);
      await wakeAndStop(webhook_id);
    });
    await oneClaimed(webhook_id);
  });

  it('D93: that comes during a stop is given back', async () => {
    const webhook_id = await webhookOf();
    await newGroup();
    await wakeAndStop(webhook_id);
    await oneClaimed(webhook_id);
  });

  it('D27b, D93: disables the webhook of an owner who may not log in any more', async () => {
    const { id } = await addMember(app, 2_152_000_002);
    const webhook_id = await webhookOf((await makeToken(app, 'per', id)).jwt);
    await app.db.updateTable('users').set({ corporation_id: null }).where('character_id', '=', id).execute();
    expect(await claimed(webhook_id)).toEqual([]);
    const after = await ok(root.webhook.get({ params: { webhook_id } }));
    expect(after).toMatchObject({ disabled_because: 'not_allowed' });
  });

  it('D93: is void with another level of the owner, whatever else both let it see, and not by failures', async () => {
    const { id } = await addMember(app, 2_152_000_003, 6);
    const webhook_id = await webhookOf((await makeToken(app, 'per', id)).jwt);
    const taken = await take(app.app.services, webhook_id, 1);
    const version = () => settle(app.app.services, webhook_id, [], []);
    await app.db.updateTable('webhooks').set({ failures: 3, paused_until: app.clock.now() }).execute();
    expect(await version()).toBe(taken?.version);
    await app.db.updateTable('users').set({ clearance_level: 5 }).where('character_id', '=', id).execute();
    expect(await version()).not.toBe(taken?.version);
  });

  it('D93: passes events about anything but groups, whichever groups are wanted', async () => {
    const wanted = await addGroup(app, `Settled ${++made}`);
    const types = ['group.created', 'coalition.created'] as const;
    const body = { types: [...types], group_ids: [wanted] };
    const { webhook_id } = await addWebhook(app, HERE, body);
    await newGroup();
    await ok(root.coalition.create({ body: { coalition_name: `Settled ${++made}`, ticker: 'D' } }));
    await allSealed(app.db);
    await oneClaimed(webhook_id);
    expect(await deliveriesOf(webhook_id)).toMatchObject([{ type: 'coalition.created' }]);
  });

  it('D3c, D93: reads a few events at once when it claims many again, however long their texts are', async () => {
    const webhookId = await webhookOf();
    const updates = Array.from({ length: 100 }, (_, n) => ({
      type: 'group.created' as const,
      targets: [group(n)],
    }));
    await recordEvents(app.db, updates, app.clock.now());
    await allSealed(app.db);
    const first = await claimed(webhookId);
    expect(first).toHaveLength(100);
    app.clock.advance(CLAIMED_FOR);
    let most = 0;
    const db = app.app.services.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        if (result.rows[0]?.body !== undefined) most = Math.max(most, result.rows.length);
        return result;
      },
    });
    const again = await take({ ...app.app.services, db }, webhookId, 100);
    expect(again?.parcels.map(({ delivery_id }) => delivery_id)).toEqual(
      first.map(({ delivery_id }) => delivery_id),
    );
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(32);
  });

  it('D93: is not looked for while the first delivery of an ordered webhook waits', async () => {
    const { webhook_id } = await addWebhook(app, HERE, { types: ['group.created'], ordered: true });
    await newGroup();
    await settled(webhook_id, await oneClaimed(webhook_id), 500);
    await newGroup();
    const now = app.clock.now();
    const [work] = await findWork(app.db, now);
    expect(work).toMatchObject({ webhook_id });
    expect(work?.next.getTime()).toBeGreaterThan(now.getTime());
  });
});

describe('D93: a receiver that failed five times in a row', () => {
  /** Its webhook, with two deliveries that wait for their first try, and five for their next one. */
  async function failing(): Promise<string> {
    const webhook_id = await webhookOf();
    for (let n = 0; n < 7; n += 1) await newGroup();
    const parcels = await claimed(webhook_id);
    const failures = parcels.slice(0, 5).map((parcel) => ({
      parcel,
      url: HERE.callback,
      on: app.clock.now(),
      status: 500,
      fault: null,
      retryAfter: undefined,
    }));
    await settle(app.app.services, webhook_id, failures, parcels.slice(5));
    expect(await ok(root.webhook.get({ params: { webhook_id } }))).toMatchObject({ failures: 5, waiting: 7 });
    app.clock.advance(10_000);
    return webhook_id;
  }

  it('D93: gets one delivery at a time, whichever processes have others for it, tests too', async () => {
    const webhook_id = await failing();
    const first = await oneClaimed(webhook_id);
    await ok(root.webhook.test({ params: { webhook_id } }));
    await newGroup();
    expect(await claimed(webhook_id)).toEqual([]);
    await settled(webhook_id, first, 500);
    app.clock.advance(10_000);
    const tests = (await claimed(webhook_id)).filter(({ position }) => position === null);
    expect(tests).toHaveLength(1);
  });

  it('D93: is not looked for while one is on its way, and gets the next one if its process dies', async () => {
    const webhook_id = await failing();
    expect(await due()).toBeLessThanOrEqual(app.clock.now().getTime());
    await oneClaimed(webhook_id);
    expect(await due()).toBe(app.clock.now().getTime() + CLAIMED_FOR);
    app.clock.advance(CLAIMED_FOR);
    expect(await due()).toBeLessThanOrEqual(app.clock.now().getTime());
    await oneClaimed(webhook_id);
  });

  it('D93: gets all the others at once as soon as one arrives', async () => {
    const webhook_id = await failing();
    await settled(webhook_id, await oneClaimed(webhook_id), 204);
    expect(await claimed(webhook_id)).toHaveLength(6);
  });
});

describe('D93: the secret of a webhook', () => {
  const lost = createVault([{ id: 'lost', key: randomBytes(32) }]);
  const encrypted = (webhook_id: string) => lost.encrypt('whsec_lost', secretBinding(webhook_id));

  it('D93: of before a rotation, whose key is lost, keeps no delivery from being signed with the present one', async () => {
    const webhook_id = await webhookOf();
    await ok(root.webhook.rotate({ params: { webhook_id } }));
    await app.db
      .updateTable('webhooks')
      .set({ former_secret: encrypted(webhook_id) })
      .execute();
    await newGroup();
    const taken = await take(app.app.services, webhook_id, 1);
    expect([taken?.parcels.length, taken?.to.secrets.length]).toEqual([1, 1]);
  });

  it('D93: that was rotated while the secrets were encrypted anew stays what it was rotated to', async () => {
    const webhook_id = await webhookOf();
    const secretOf = () => app.db.selectFrom('webhooks').select('secret').executeTakeFirstOrThrow();
    const { secret: before } = await secretOf();
    await ok(root.webhook.rotate({ params: { webhook_id } }));
    const { secret: present } = await secretOf();
    expect(
      await replaceSecrets(app.db, 'secret', [{ webhook_id, before, after: encrypted(webhook_id) }]),
    ).toBe(0);
    expect((await secretOf()).secret.equals(present)).toBe(true);
  });

  it('D93: whose key is lost is forgotten by a rotation, without which it stays disabled', async () => {
    const webhook_id = await webhookOf();
    const params = { webhook_id };
    await ok(root.webhook.update({ params, body: { enabled: false } }));
    await app.db
      .updateTable('webhooks')
      .set({ secret: encrypted(webhook_id) })
      .execute();
    const enable = () => root.webhook.update({ params, body: { enabled: true } });
    expect(await enable()).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'enabled'] }] } });
    await ok(root.webhook.rotate({ params }));
    expect((await enable()).status).toBe(200);
    const row = await app.db.selectFrom('webhooks').select('former_secret').executeTakeFirst();
    expect(row).toEqual({ former_secret: null });
  });
});

describe('D93: the webhooks of an application', () => {
  it('D93: are 20, however many are made at the same moment', async () => {
    const client = app.client((await makeToken(app, 'dyn', 0, uuidOf(app.root))).jwt);
    const make = () => client.webhook.create({ body: { url: HERE.callback, types: ['crash.*'] } });
    const statuses = (await Promise.all(Array.from({ length: 26 }, make))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([...Array(20).fill(200), ...Array(6).fill(409)]);
  });
});

describe('D21, D93: deliveries of a month, of which there may be millions', () => {
  let lastId = 2_152_000_100;

  async function delivered(webhook_id: string, count: number): Promise<void> {
    await sql`
      insert into webhook_deliveries (webhook_id, delivery_id, type, position, state, tried_on)
      select ${webhook_id}, gen_random_uuid(), 'group.created', n, 'delivered', now()
      from generate_series(1, ${count}::integer) n`.execute(app.db);
  }

  /** The number of deliveries of each webhook. */
  async function left(...webhookIds: string[]): Promise<number[]> {
    const found = await Promise.all(webhookIds.map((id) => root.webhook.get({ params: { webhook_id: id } })));
    return Promise.all(
      found.flatMap(({ status }, n) =>
        status === 404 ? [] : deliveriesOf(webhookIds[n] as string).then(({ length }) => length),
      ),
    );
  }

  /** Refuses meanwhile that a statement deletes deliveries with the webhook, token or user that it is about. */
  async function withoutCascade(work: () => Promise<unknown>): Promise<void> {
    await sql`create function refuse_cascade() returns trigger language plpgsql as $$
      begin raise exception 'a cascade deletes deliveries'; end $$`.execute(app.db);
    await sql`create trigger refuse_cascade before delete on webhook_deliveries for each row
      when (pg_trigger_depth() > 0) execute function refuse_cascade()`.execute(app.db);
    await work().finally(() => sql`drop function refuse_cascade cascade`.execute(app.db));
  }

  interface Owned {
    readonly id: number;
    readonly token: string;
    readonly webhook_id: string;
  }

  it.each<[string, (owned: Owned) => Promise<unknown>, number[]]>([
    ['their webhook', (of) => ok(root.webhook.delete({ params: { webhook_id: of.webhook_id } })), [2]],
    [
      'a token that their application descends from',
      (of) => ok(root.token.delete({ query: { uuid: of.token } })),
      [2],
    ],
    ['their user', (of) => ok(root.user.delete({ params: { character_id: of.id } })), []],
    [
      'their user’s tokens with a hand-over',
      (of) => inTransaction(app.db, (tx) => handOver(tx, of.id, 'another', app.clock.now())),
      [2],
    ],
    [
      'a token whose key is gone',
      async (of) => {
        const kid = 'gone';
        await app.db.updateTable('tokens').set({ kid }).where('owner_id', '=', of.id).execute();
        await giveUpTokens(app.app.services);
      },
      [2],
    ],
  ])('D21, D93: are deleted before %s, not by the same statement', async (_, remove, kept) => {
    lastId += 1;
    const { id, jwt } = await addMember(app, lastId, 10);
    const { uuid: token } = await makeToken(app, 'per', id);
    const child = await makeToken(app, 'dyn', id, token);
    const [webhook_id, own, other] = [await webhookOf(child.jwt), await webhookOf(jwt), await webhookOf()];
    for (const one of [webhook_id, own, other]) await delivered(one, 2);
    await withoutCascade(() => remove({ id, token, webhook_id }));
    expect(await left(webhook_id, own, other)).toEqual([...kept, 2]);
  });

  it('D93: are deleted in pieces, those of one webhook alone', async () => {
    const [one, other] = [await webhookOf(), await webhookOf()];
    for (const id of [one, other]) await delivered(id, 7);
    const before = app.statements.length;
    await inTransaction(app.db, (tx) => deleteWebhook(tx, one, 3));
    const pieces = app.statements
      .slice(before)
      .filter((text) => text.includes('delete from webhook_deliveries'));
    expect(pieces).toHaveLength(3);
    expect(await left(one, other)).toEqual([7]);
  });
});
