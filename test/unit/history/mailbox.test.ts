import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deleteHistories } from '../../../server/history/history.queries.ts';
import { getMail, listMails } from '../../../server/history/mail.ts';
import { indexMail } from '../../../server/history/mailbox.ts';
import type { Page } from '../../../server/history/page.ts';
import { type HistoryServices, PartsMissing } from '../../../server/history/source.ts';
import { ProviderError } from '../../../server/provider/http.ts';
import { addPerson, Game, type GameMail, partsOf } from '../../fixtures/game.ts';
import { createTestDatabase, empty, type TestDatabase } from '../../harness/database.ts';

const ADA = 2_112_000_001;
const BEN = 2_112_000_002;

let database: TestDatabase;
let game: Game;
let services: HistoryServices;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await empty(database.db, 'users', 'mails');
  await addPerson(database, ADA);
  await addPerson(database, BEN);
  game = new Game();
  services = partsOf(database, game);
});

function mail(n: number, more: Partial<GameMail> = {}): GameMail {
  return {
    mail_id: 380_000_000 + n,
    from: ADA,
    subject: `Subject ${n}`,
    timestamp: new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString(),
    recipients: [{ recipient_id: BEN, recipient_type: 'character' }],
    body: `Line one of ${n}<br>line &lt;two&gt;`,
    ...more,
  };
}

const mails = (count: number, first = 1) => Array.from({ length: count }, (_, n) => mail(first + n));

async function allPages(
  characterId: number,
): Promise<Page<{ mail_id: number; timestamp: string }>['entries']> {
  const { entries, pages } = await listMails(services, characterId, 1);
  const all = [...entries];
  for (let page = 2; page <= pages; page += 1)
    all.push(...(await listMails(services, characterId, page)).entries);
  return all;
}

/** Ids in the order of a mailbox, newest first. */
function inOrder(held: readonly GameMail[]): number[] {
  const time = ({ timestamp }: GameMail) => Date.parse(timestamp ?? '');
  return [...held].sort((a, b) => time(b) - time(a) || b.mail_id - a.mail_id).map(({ mail_id }) => mail_id);
}

const listed = async (characterId: number) => (await allPages(characterId)).map(({ mail_id }) => mail_id);
const askedFor = (pattern: RegExp) => game.asked.filter(({ path }) => pattern.test(path));

describe('indexing a mailbox (D36b)', () => {
  it('D36: stores no mail while the provider was not asked for all its names', async () => {
    game.mailboxes.set(ADA, mails(3));
    const partly = {
      find: async () => ({ names: new Map<number, string>(), unasked: 1, failure: undefined }),
    };
    await expect(indexMail({ ...services, names: partly }, ADA)).rejects.toThrow(PartsMissing);
    expect(await listed(ADA)).toEqual([]);
    await indexMail(services, ADA);
    expect(await listed(ADA)).toEqual(inOrder(mails(3)));
  });

  it('reads pages back to the mails that it has already', async () => {
    game.mailboxes.set(ADA, mails(120));
    await indexMail(services, ADA);
    expect(await listed(ADA)).toEqual(inOrder(mails(120)));
    // Two pages of 50, one of 20, and an empty one, requested twice, that ends it; then the newest ones again.
    expect(askedFor(/\/mail$/)).toHaveLength(6);

    game.asked.length = 0;
    game.mailboxes.set(ADA, mails(130));
    await indexMail(services, ADA);
    expect(askedFor(/\/mail$/)).toHaveLength(1);
    expect(await listed(ADA)).toEqual(inOrder(mails(130)));

    game.asked.length = 0;
    game.mailboxes.set(ADA, mails(250));
    await indexMail(services, ADA);
    expect(askedFor(/\/mail$/)).toHaveLength(3);
    expect(await listed(ADA)).toEqual(inOrder(mails(250)));
  });

  it('sends requests for that character, with the scope of mail, charged to the service (D33)', async () => {
    game.mailboxes.set(ADA, mails(1));
    await indexMail(services, ADA);
    for (const { as, on } of game.asked) {
      expect({ as, on }).toEqual({ as: { characterId: ADA, scope: 'ext-mail.read_mail.v1' }, on: 'service' });
    }
  });

  it('stores a mail once however many mailboxes contain it, and fetches its text once', async () => {
    game.mailboxes.set(ADA, mails(3)).set(BEN, mails(4, 2));
    await indexMail(services, ADA);
    await indexMail(services, BEN);
    const { rows } = await database.pool.query('select count(*)::int as stored from mails');
    expect(rows).toEqual([{ stored: 5 }]);
    expect(await listed(ADA)).toEqual(inOrder(mails(3)));
    expect(await listed(BEN)).toEqual(inOrder(mails(4, 2)));
    expect(askedFor(/\/mail\/\d+$/)).toHaveLength(5);
  });

  it('continues where it was interrupted, and shows new mails meanwhile', async () => {
    game.mailboxes.set(ADA, mails(300));
    game.patience = 3;
    await expect(indexMail(services, ADA)).rejects.toThrow(ProviderError);
    expect(await listed(ADA)).toEqual(inOrder(mails(150, 151)));

    game.mailboxes.set(ADA, mails(310));
    game.patience = 3;
    await expect(indexMail(services, ADA)).rejects.toThrow(ProviderError);
    expect(await listed(ADA)).toEqual(inOrder(mails(260, 51)));

    game.patience = Number.POSITIVE_INFINITY;
    await indexMail(services, ADA);
    expect(await listed(ADA)).toEqual(inOrder(mails(310)));
  });

  it('keeps the order of its mails while older ones are added', async () => {
    const placeOf = async (mail_id: number) =>
      (await database.pool.query('select position from mailbox_mails where mail_id = $1', [mail_id])).rows;
    game.mailboxes.set(ADA, mails(150));
    game.patience = 2;
    await expect(indexMail(services, ADA)).rejects.toThrow(ProviderError);
    const before = await placeOf(mail(110).mail_id);
    game.patience = Number.POSITIVE_INFINITY;
    await indexMail(services, ADA);
    expect(await placeOf(mail(110).mail_id)).toEqual(before);
  });

  it('stores new mails completely or not at all, so that older ones are not taken for stored', async () => {
    game.mailboxes.set(ADA, mails(10));
    await indexMail(services, ADA);
    game.mailboxes.set(ADA, mails(200));
    game.patience = 2;
    await expect(indexMail(services, ADA)).rejects.toThrow(ProviderError);
    expect(await listed(ADA)).toEqual(inOrder(mails(10)));
    game.patience = Number.POSITIVE_INFINITY;
    await indexMail(services, ADA);
    expect(await listed(ADA)).toEqual(inOrder(mails(200)));
  });

  it.each([1, 2, 3])(
    'empty lists from page %s on do not end it: the older mails are added later',
    async (nth) => {
      const lose = () => {
        let pages = 0;
        game.meanwhile = async ({ path }) => {
          if (/\/mail$/.test(path)) pages += 1;
          if (pages === nth) game.mailboxes.set(ADA, []);
        };
      };
      const recover = async (count: number) => {
        game.meanwhile = async () => undefined;
        game.mailboxes.set(ADA, mails(count));
        await indexMail(services, ADA);
        expect(await listed(ADA)).toEqual(inOrder(mails(count)));
      };
      const index = () =>
        indexMail(services, ADA).catch((error) => expect(error).toBeInstanceOf(ProviderError));
      game.mailboxes.set(ADA, mails(150));
      lose();
      await index();
      await recover(150);
      game.mailboxes.set(ADA, mails(300));
      lose();
      await index();
      await recover(300);
    },
  );

  it('nor does one empty list among the others', async () => {
    game.mailboxes.set(ADA, mails(200));
    let lost = false;
    game.meanwhile = async ({ query }) => {
      game.mailboxes.set(ADA, new Map(query).has('last_mail_id') && !lost ? [] : mails(200));
      lost ||= new Map(query).has('last_mail_id');
    };
    await indexMail(services, ADA);
    expect(await listed(ADA)).toEqual(inOrder(mails(200)));
  });

  it('a time that the database cannot store is replaced by the earliest one', async () => {
    game.mailboxes.set(ADA, [
      mail(1),
      mail(2, { timestamp: '0000-01-01T00:00:00Z' }),
      mail(3, { timestamp: '2026-01-01T00:00:00+99:99' }),
    ]);
    await indexMail(services, ADA);
    expect(await listed(ADA)).toEqual([mail(1).mail_id, mail(3).mail_id, mail(2).mail_id]);
  });

  it('provider.md §2: fields that the provider may omit may also be null', async () => {
    const nothing = { from: null, subject: null, recipients: null } as never;
    game.mailboxes.set(ADA, [mail(1, nothing), mail(2), { ...mail(3), mail_id: null as never }]);
    await indexMail(services, ADA);
    expect((await listed(ADA)).sort()).toEqual([mail(1).mail_id, mail(2).mail_id]);
  });

  it.each<[string, Partial<Record<keyof GameMail, unknown>>]>([
    ['a recipient that is none', { recipients: [null, { recipient_id: BEN, recipient_type: 'character' }] }],
    ['a recipient of no known type', { recipients: [{ recipient_id: BEN, recipient_type: null }] }],
    ['a sender that is text', { from: '123' }],
    ['a subject that is a number', { subject: 7 }],
    ['no list of recipients', { recipients: 'all' }],
    ['an id that is text', { mail_id: String(mail(2).mail_id) }],
  ])('one odd mail among many does not keep the others out, with %s (D36b)', async (_, odd) => {
    game.mailboxes.set(ADA, [mail(1), { ...mail(2), ...odd } as never, mail(3)]);
    await indexMail(services, ADA);
    const { entries } = await listMails(services, ADA, 1);
    const kept = 'mail_id' in odd ? [mail(3), mail(1)] : [mail(3), mail(2), mail(1)];
    expect(entries.map(({ mail_id }) => mail_id)).toEqual(kept.map(({ mail_id }) => mail_id));
    expect(entries.find(({ mail_id }) => mail_id === mail(2).mail_id)).toEqual(
      'mail_id' in odd
        ? undefined
        : {
            from_character: {
              character_id: 'from' in odd ? 0 : ADA,
              character_name: 'from' in odd ? '#0' : `Name of ${ADA}`,
            },
            mail_id: mail(2).mail_id,
            recipients:
              odd.recipients === 'all' ? [] : [{ recipient_id: BEN, recipient_name: `Name of ${BEN}` }],
            subject: 'subject' in odd ? '' : 'Subject 2',
            timestamp: mail(2).timestamp,
          },
    );
  });

  it('a page with nothing but odd mails is none', async () => {
    game.mailboxes.set(ADA, [{ ...mail(1), mail_id: '7' as never }]);
    await expect(indexMail(services, ADA)).rejects.toThrow(ProviderError);
  });

  it('keeps mails that the player deleted (D36)', async () => {
    game.mailboxes.set(ADA, mails(80));
    await indexMail(services, ADA);
    game.mailboxes.set(ADA, mails(5, 90));
    await indexMail(services, ADA);
    expect(await listed(ADA)).toEqual(inOrder([...mails(80), ...mails(5, 90)]));
  });

  it('ends even if the provider always returns the same page', async () => {
    game.records.set(
      `/characters/${ADA}/mail`,
      mails(50).map(({ body, ...header }) => header),
    );
    await indexMail(services, ADA);
    expect(await listed(ADA)).toEqual(inOrder(mails(50)));
  });

  it('two concurrent runs result in one mailbox, in order', async () => {
    game.mailboxes.set(ADA, mails(170));
    await Promise.all([indexMail(services, ADA), indexMail(services, ADA), indexMail(services, ADA)]);
    expect(await listed(ADA)).toEqual(inOrder(mails(170)));
  });

  it('any sequence of arrivals, deletions and failures results in the whole mailbox, in order, without gaps', async () => {
    const step = fc.record({
      arriving: fc.integer({ min: 0, max: 120 }),
      deleted: fc.nat(3),
      patience: fc.option(fc.nat(6), { nil: undefined }),
    });
    // Times that sometimes contradict the order of the ids, and coincide.
    const jitter = fc.array(fc.nat(200), { minLength: 700, maxLength: 700 });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), jitter, async (steps, minutes) => {
        await empty(database.db, 'mailboxes', 'mails');
        const ever: GameMail[] = [];
        let held: GameMail[] = [];
        let seen = 0;
        for (const { arriving, deleted, patience } of steps) {
          const at = (n: number) => new Date(Date.UTC(2026, 0, 1) + (n + (minutes[n] ?? 0)) * 60_000);
          const fresh = Array.from({ length: arriving }, () => {
            seen += 1;
            return mail(seen, { timestamp: at(seen).toISOString() });
          });
          ever.push(...fresh);
          held = [...held, ...fresh];
          game.mailboxes.set(ADA, held);
          game.patience = patience ?? Number.POSITIVE_INFINITY;
          await indexMail(services, ADA).catch((error: unknown) => {
            if (!(error instanceof ProviderError)) throw error;
          });
          await expectGapless();
          // Mails that were deleted after they were indexed stay.
          const indexed = new Set(await listed(ADA));
          held = held.filter(({ mail_id }) => !indexed.has(mail_id) || mail_id % 7 >= deleted);
        }
        game.mailboxes.set(ADA, held);
        game.patience = Number.POSITIVE_INFINITY;
        await indexMail(services, ADA);
        await expectGapless();
        expect(await listed(ADA)).toEqual(inOrder(ever));
      }),
      { numRuns: 7 },
    );
  });
});

async function expectGapless(): Promise<void> {
  const { rows } = await database.pool.query(`
    select coalesce(max(position) - min(position) + 1, 0) = count(*) as gapless,
      array_agg(mail_id order by position)
        is not distinct from array_agg(mail_id order by (select timestamp from mails m where m.mail_id = b.mail_id), mail_id)
        as ordered
    from mailbox_mails b where character_id = ${ADA}`);
  expect(rows).toEqual([{ gapless: true, ordered: true }]);
}

const READER = { on: 'service', rejudge: async () => undefined } as const;

describe('a mail (D36, D36b)', () => {
  it('has its text, plain and with its line breaks', async () => {
    game.mailboxes.set(ADA, mails(1));
    await indexMail(services, ADA);
    expect(await getMail(services, ADA, mail(1).mail_id, READER)).toEqual({
      body: 'Line one of 1\nline <two>',
      from_id: ADA,
      from_name: `Name of ${ADA}`,
      mail_id: mail(1).mail_id,
      recipients: [{ recipient_id: BEN, recipient_name: `Name of ${BEN}` }],
      subject: 'Subject 1',
      timestamp: mail(1).timestamp,
    });
  });

  it('is a 404 unless it is in that mailbox', async () => {
    game.mailboxes.set(ADA, mails(1)).set(BEN, mails(1, 2));
    await indexMail(services, ADA);
    await indexMail(services, BEN);
    await expect(getMail(services, BEN, mail(1).mail_id, READER)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('has names where available, mailing lists by their number, the rest as #N', async () => {
    const recipients = [
      { recipient_id: 145_000_001, recipient_type: 'mailing_list' },
      { recipient_id: 98_000_013, recipient_type: 'corporation' },
      { recipient_id: 99_000_001, recipient_type: 'alliance' },
    ];
    game.mailboxes.set(ADA, [mail(1, { from: 90_000_013, recipients })]);
    await indexMail(services, ADA);
    const { entries } = await listMails(services, ADA, 1);
    expect(entries[0]).toMatchObject({
      from_character: { character_id: 90_000_013, character_name: '#90000013' },
      recipients: [
        { recipient_id: 145_000_001, recipient_name: 'Mailing list 145000001' },
        { recipient_id: 98_000_013, recipient_name: '#98000013' },
        { recipient_id: 99_000_001, recipient_name: 'Name of 99000001' },
      ],
    });
  });

  it('is stored with as few fields as the provider gives, and with text that PostgreSQL would reject', async () => {
    game.mailboxes.set(ADA, [
      { mail_id: 1 },
      mail(2, { subject: 'nul \0 and \ud800', body: 'nul \0 and \udfff' }),
    ]);
    await indexMail(services, ADA);
    expect(await listed(ADA)).toEqual([mail(2).mail_id, 1]);
    expect(await getMail(services, ADA, mail(2).mail_id, READER)).toMatchObject({
      subject: 'nul  and \ufffd',
      body: 'nul  and \ufffd',
    });
    expect(await getMail(services, ADA, 1, READER)).toMatchObject({
      body: '',
      subject: '',
      recipients: [],
    });
  });

  it('fetches a missing text when it is read, charged to the reader, and stores it', async () => {
    game.mailboxes.set(ADA, mails(150));
    await indexMail(services, ADA);
    expect(askedFor(/\/mail\/\d+$/)).toHaveLength(100);
    game.asked.length = 0;
    const reader = { ...READER, on: { caller: '2112000009' } };
    expect(await getMail(services, ADA, mail(3).mail_id, reader)).toMatchObject({
      body: 'Line one of 3\nline <two>',
    });
    await getMail(services, ADA, mail(3).mail_id, reader);
    expect(game.asked.map(({ on }) => on)).toEqual([reader.on]);

    game.asked.length = 0;
    await indexMail(services, ADA);
    expect(askedFor(/\/mail\/\d+$/)).toHaveLength(49);
  });

  it('has no text if the player deleted it before it was fetched; another mailbox may still supply it', async () => {
    game.mailboxes.set(ADA, mails(1)).set(BEN, mails(1));
    game.meanwhile = async ({ path }) => {
      if (/mail\/\d/.test(path)) game.mailboxes.set(ADA, []);
    };
    await indexMail(services, ADA);
    game.asked.length = 0;
    expect(await getMail(services, ADA, mail(1).mail_id, READER)).toMatchObject({ body: '' });
    expect(game.asked).toEqual([]);
    await indexMail(services, BEN);
    expect(await getMail(services, ADA, mail(1).mail_id, READER)).toMatchObject({
      body: 'Line one of 1\nline <two>',
    });
  });

  it('whose text cannot be fetched at the moment is an error of the provider, not an empty mail', async () => {
    game.mailboxes.set(ADA, mails(1));
    game.patience = 2;
    await expect(indexMail(services, ADA)).rejects.toThrow(ProviderError);
    await expect(getMail(services, ADA, mail(1).mail_id, READER)).rejects.toThrow(ProviderError);
  });
});

describe('texts that the provider does not give (D36b)', () => {
  const withoutText = async () =>
    (await database.pool.query('select mail_id from mails where body is null order by 1')).rows.map(
      ({ mail_id }) => mail_id,
    );
  const odd = (n: number) => mail(n, { body: 7 as never });

  it('one of them keeps no other waiting', async () => {
    game.mailboxes.set(ADA, [mail(1), odd(2), mail(3)]);
    await indexMail(services, ADA);
    expect(await withoutText()).toEqual([mail(2).mail_id]);
    await expect(getMail(services, ADA, mail(2).mail_id, READER)).rejects.toThrow(ProviderError);
    await expect(indexMail(services, ADA)).rejects.toThrow(PartsMissing);
    game.mailboxes.set(ADA, mails(4));
    await indexMail(services, ADA);
    expect(await withoutText()).toEqual([]);
  });

  it('nor do many, though a run stops at the second; the newest is asked for first', async () => {
    const all = [...mails(20), odd(21), odd(22), odd(23), odd(24), odd(25)];
    game.mailboxes.set(ADA, all);
    for (let run = 0; run < 500 && (await withoutText()).length !== 5; run += 1) {
      game.asked.length = 0;
      await indexMail(services, ADA).catch((error) => expect(error).toBeInstanceOf(PartsMissing));
      const texts = askedFor(/\/mail\/\d+$/).map(({ path }) => Number(path.split('/').at(-1)));
      expect(texts[0]).toBe(mail(25).mail_id);
      expect(texts.filter((id) => id > mail(20).mail_id)).toHaveLength(2);
    }
    expect(await withoutText()).toEqual(all.slice(20).map(({ mail_id }) => mail_id));
  });

  it('when none comes, the second is the last', async () => {
    game.mailboxes.set(
      ADA,
      Array.from({ length: 20 }, (_, n) => odd(n + 1)),
    );
    await expect(indexMail(services, ADA)).rejects.toThrow(PartsMissing);
    expect(askedFor(/\/mail\/\d+$/)).toHaveLength(2);
    expect(await listed(ADA)).toHaveLength(20);
  });

  it.each(['exhausted', 'no-token'] as const)('the first that is %s ends it', async (fault) => {
    game.mailboxes.set(ADA, mails(20));
    game.meanwhile = async ({ path }) => {
      if (/mail\/\d/.test(path)) throw new ProviderError(fault, 'not now');
    };
    await expect(indexMail(services, ADA)).rejects.toMatchObject({ fault });
    expect(askedFor(/\/mail\/\d+$/)).toHaveLength(1);
  });
});

describe('deleting a mailbox (D19b, D29b)', () => {
  const stored = async () =>
    (await database.pool.query('select mail_id from mails order by 1')).rows.map(({ mail_id }) => mail_id);

  it('deletes the mails that are in no other mailbox', async () => {
    game.mailboxes.set(ADA, mails(3)).set(BEN, mails(1, 2));
    await indexMail(services, ADA);
    await indexMail(services, BEN);
    await deleteHistories(services.db, [ADA]);
    expect(await stored()).toEqual([mail(2).mail_id]);
    expect(await listed(ADA)).toEqual([]);
    expect(await listed(BEN)).toEqual([mail(2).mail_id]);
    await deleteHistories(services.db, [BEN]);
    expect(await stored()).toEqual([]);
  });

  it('of several at once deletes mails that were only in those', async () => {
    game.mailboxes.set(ADA, mails(3)).set(BEN, mails(1, 2));
    await indexMail(services, ADA);
    await indexMail(services, BEN);
    await deleteHistories(services.db, [ADA, BEN]);
    expect(await stored()).toEqual([]);
    expect(await listed(ADA)).toEqual([]);
    expect(await listed(BEN)).toEqual([]);
  });

  it('a run that started before it stores nothing afterwards', async () => {
    game.mailboxes.set(ADA, mails(3));
    game.meanwhile = async () => {
      if (game.asked.length > 1) return;
      await services.db
        .updateTable('users')
        .set({ owner_hash: 'another' })
        .where('character_id', '=', ADA)
        .execute();
      await deleteHistories(services.db, [ADA]);
    };
    await indexMail(services, ADA);
    expect(await stored()).toEqual([]);
  });

  it('while another mailbox is indexed: the mail stays in that one, and neither fails', async () => {
    for (let round = 0; round < 20; round += 1) {
      game.mailboxes.set(ADA, mails(8)).set(BEN, []);
      await indexMail(services, ADA);
      game.mailboxes.set(BEN, mails(8));
      await Promise.all([
        indexMail(services, BEN),
        services.db.transaction().execute((tx) => deleteHistories(tx, [ADA])),
      ]);
      expect(await listed(BEN)).toEqual(inOrder(mails(8)));
      await deleteHistories(services.db, [BEN]);
    }
  });
});
