import type { HistoryParts } from '../../../server/history/source.ts';
import type { ProviderAnswer } from '../../../server/provider/answer.ts';
import type { ProviderClient, ProviderRequest } from '../../../server/provider/client.ts';
import { ProviderError } from '../../../server/provider/http.ts';
import { TestClock } from '../../harness/clock.ts';
import type { TestDatabase } from '../../harness/database.ts';
import { madeAnswer } from '../../harness/provider.ts';

export interface GameMail {
  readonly mail_id: number;
  readonly from?: number;
  readonly subject?: string;
  readonly timestamp?: string;
  readonly recipients?: readonly { recipient_id: number; recipient_type: string }[];
  readonly body?: string;
}

const PAGE = 50;

/** The game as a test wants it, without a network: what it has, what it was asked, and when it fails. */
export class Game implements ProviderClient {
  /** What GETs of a path are answered with. */
  readonly records = new Map<string, unknown>();
  /** Each character's mails, in no order. */
  readonly mailboxes = new Map<number, GameMail[]>();
  readonly asked: ProviderRequest[] = [];
  /** Requests that still succeed; then it fails. */
  patience = Number.POSITIVE_INFINITY;
  /** Runs before each answer. */
  meanwhile: (request: ProviderRequest) => Promise<void> = async () => undefined;

  async ask(request: ProviderRequest): Promise<ProviderAnswer> {
    this.asked.push(request);
    this.patience -= 1;
    if (this.patience < 0) throw new ProviderError('exhausted', 'enough for now', { retryAfter: 60 });
    await this.meanwhile(request);
    const data = this.#mail(request) ?? this.records.get(request.path);
    return data === undefined ? madeAnswer(404, { error: 'Not found' }) : madeAnswer(200, data);
  }

  #mail({ path, query }: ProviderRequest): unknown {
    const [, character, mailId] = /^\/characters\/(\d+)\/mail(?:\/(\d+))?$/.exec(path) ?? [];
    const mailbox = this.mailboxes.get(Number(character));
    if (mailbox === undefined) return undefined;
    if (mailId !== undefined) {
      const mail = mailbox.find(({ mail_id }) => mail_id === Number(mailId));
      return mail && { body: mail.body };
    }
    const before = Number(query?.last_mail_id ?? Number.POSITIVE_INFINITY);
    return mailbox
      .filter(({ mail_id }) => mail_id < before)
      .sort((a, b) => b.mail_id - a.mail_id)
      .slice(0, PAGE)
      .map(({ body, ...header }) => header);
  }
}

/** Everything that a history needs; names are `Name of N`, but for ids that end in 13. */
export function partsOf(database: TestDatabase, client: ProviderClient): HistoryParts {
  return {
    db: database.db,
    client,
    clock: new TestClock(),
    names: {
      find: async (ids) => new Map(ids.filter((id) => id % 100 !== 13).map((id) => [id, `Name of ${id}`])),
    },
  };
}

/** A user without anything else. */
export async function addPerson(
  { db }: TestDatabase,
  character_id: number,
  owner_hash = 'owner',
): Promise<void> {
  await db
    .insertInto('users')
    .values({
      character_id,
      character_name: `Character ${character_id}`,
      name_key: `character ${character_id}`,
      corporation_id: null,
      owner_hash,
      signed_in_on: null,
    })
    .execute();
}
