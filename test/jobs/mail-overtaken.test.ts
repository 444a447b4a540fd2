import { afterAll, beforeAll, expect, it } from 'vitest';
import { mailbox } from '../../dev/world/mailbox.ts';
import type { Character } from '../../dev/world/world.ts';
import { ok } from '../../sdk/src/index.ts';
import { indexMail } from '../../server/history/mailbox.ts';
import type { ProviderClient, ProviderRequest } from '../../server/provider/client.ts';
import { ProviderError } from '../../server/provider/http.ts';
import { letIn } from '../fixtures/registry.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';

const ALLIANCE = 99_000_001;
const SCOPES = ['publicData', 'ext-mail.read_mail.v1'] as const;

let app: TestApp;
let dyn: string;
let people: Character[];
beforeAll(async () => {
  app = await startTestApp({ provider: { mailRounds: 48 } });
  dyn = await app.dynamicToken();
  await letIn(app, { alliances: [ALLIANCE] });
  const { world } = app.provider;
  people = world
    .membersOf(world.alliance(ALLIANCE)?.executorCorporationId ?? 0)
    .map((id) => world.character(id))
    .filter((one): one is Character => one !== undefined && !one.isCeo);
});
afterAll(() => app.stop());

const older = ({ path, query }: ProviderRequest) =>
  path.endsWith('/mail') && new Map(query).has('last_mail_id');
const through = (before: (request: ProviderRequest) => Promise<void>): ProviderClient => {
  const { client } = app.app.services;
  return {
    ...client,
    ask: async (request) => {
      await before(request);
      return client.ask(request);
    },
  };
};
const stored = async (id: number) =>
  (await app.db.selectFrom('mailbox_mails').select('mail_id').where('character_id', '=', id).execute())
    .length;

const handOver = async (id: number) => app.provider.world.handOver(id);
const remove = (id: number) => ok(app.client(app.root).user.delete({ params: { character_id: id } }));

it.each<[string, number, (id: number) => Promise<unknown>]>([
  ['D29b: handed over', 1, handOver],
  ['D19b: deleted, and signs in again', 2, remove],
])(
  'D36b, %s while its mailbox is indexed: its older mail comes with a later run',
  async (_, pages, overtake) => {
    const { id } = people.shift() as Character;
    const to = people[0]?.id ?? 0;
    for (let n = 0; n < 60; n += 1) {
      app.provider.world.sendMail({
        from: id,
        recipients: [{ recipient_id: to, recipient_type: 'character' }],
        subject: `Mail ${n}`,
        body: '',
      });
    }
    const { services } = app.app;
    const all = mailbox(app.provider.world, app.provider.world.character(id) as Character).length;
    expect(all).toBeGreaterThan(100);
    await app.signIn(id, { dyn, scopes: [...SCOPES] });

    // The first run has stored these pages, and is about to ask for the next one.
    let reached: () => void = () => undefined;
    let go: () => void = () => undefined;
    const there = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    let asked = 0;
    const slow = through(async (request) => {
      if (!older(request)) return;
      asked += 1;
      if (asked < pages) return;
      reached();
      await held;
    });
    const first = indexMail({ ...services, client: slow }, id);
    await there;
    expect(await stored(id)).toBe(50 * pages);

    await overtake(id);
    app.clock.advance(1_000);
    await app.signIn(id, { dyn, scopes: [...SCOPES] });
    expect(await stored(id)).toBe(0);

    // The second run stores the newest page; then the provider fails.
    const fails = through(async (request) => {
      if (older(request)) throw new ProviderError('unreachable', 'the provider is away');
    });
    await expect(indexMail({ ...services, client: fails }, id)).rejects.toThrow('away');
    expect(await stored(id)).toBe(50);

    go();
    await first.catch(() => undefined);
    // Any later run.
    await indexMail(services, id);
    await indexMail(services, id);
    expect(await stored(id)).toBe(all);
  },
);
