import { describe, expect, it } from 'vitest';
import { FIRST_CHARACTER_ID } from '../../../dev/world/world.ts';
import { bearer, get, useProvider } from './client.ts';

const SOMEBODY = FIRST_CHARACTER_ID + 100;
const simulated = useProvider();

async function body(path: string, headers: Record<string, string> = {}): Promise<unknown> {
  return await (await get(simulated.provider, path, headers)).json();
}

describe('mail (provider.md §2)', () => {
  interface Header {
    readonly mail_id: number;
    readonly from: number;
    readonly timestamp: string;
    readonly labels: readonly number[];
    readonly recipients: readonly { recipient_id: number; recipient_type: string }[];
  }
  const headers = async (id: number) => await bearer(simulated.provider, id, 'esi-mail.read_mail.v1');
  const list = async (id: number, query = '') =>
    (await body(`/characters/${id}/mail${query}`, await headers(id))) as Header[];

  it('at most 50, newest first; older ones by last_mail_id, none twice, none lost', async () => {
    const newest = await list(SOMEBODY);
    const older = await list(SOMEBODY, `?last_mail_id=${newest.at(-1)?.mail_id}`);
    const ids = [...newest, ...older].map(({ mail_id: id }) => id);
    expect(newest).toHaveLength(50);
    expect(older.length).toBeGreaterThan(0);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => b - a));
    expect(await list(SOMEBODY, `?last_mail_id=${ids.at(-1)}`)).toEqual([]);
  });

  it('of the labels given: repeated, or joined by commas at addresses of the former form, and never otherwise', async () => {
    const token = await headers(SOMEBODY);
    const at = (address: string) => get(simulated.provider, address, token);
    const [path, former] = [`/characters/${SOMEBODY}/mail`, `/latest/characters/${SOMEBODY}/mail/`];
    const both = await list(SOMEBODY, '?labels=4&labels=8');
    expect(new Set(both.flatMap(({ labels }) => labels))).toEqual(new Set([4, 8]));
    expect(await (await at(`${former}?labels=4,8`)).json()).toEqual(both);
    expect((await list(SOMEBODY, '?labels=8')).length).toBeLessThan(both.length);
    for (const address of [`${path}?labels=4,8`, `${path}?labels=`, `${former}?labels=4%7C8`])
      expect((await at(address)).status, address).toBe(400);
  });

  it('one mail has its body and no mail_id; one of another mailbox is 404', async () => {
    const [mail] = (await list(SOMEBODY)).filter(
      ({ recipients }) => recipients[0]?.recipient_type === 'character',
    );
    const path = (id: number) => `/characters/${id}/mail/${mail?.mail_id}`;
    const one = await body(path(SOMEBODY), await headers(SOMEBODY));
    expect(one).toMatchObject({ body: expect.stringContaining('<br>'), subject: expect.any(String) });
    expect(one).not.toHaveProperty('mail_id');
    expect((await get(simulated.provider, path(SOMEBODY + 50), await headers(SOMEBODY + 50))).status).toBe(
      404,
    );
  });

  it('the same mail is in the mailboxes of sender and recipient', async () => {
    const personal = (mails: Header[]) =>
      mails.filter(({ recipients }) => recipients[0]?.recipient_type === 'character');
    const [first] = personal(await list(SOMEBODY));
    const other = first?.from === SOMEBODY ? (first.recipients[0]?.recipient_id ?? 0) : (first?.from ?? 0);
    expect((await list(other)).map(({ mail_id: id }) => id)).toContain(first?.mail_id);
  });

  it('a mail that is sent is in the mailboxes of both, and of nobody else', async () => {
    const recipients = [{ recipient_id: SOMEBODY, recipient_type: 'character' }] as const;
    simulated.provider.world.sendMail({
      from: FIRST_CHARACTER_ID,
      recipients,
      subject: 'Unmistakable',
      body: 'x',
    });
    const holds = async (id: number) =>
      ((await list(id)) as (Header & { subject: string })[]).some(
        ({ subject }) => subject === 'Unmistakable',
      );
    expect(await holds(SOMEBODY)).toBe(true);
    expect(await holds(FIRST_CHARACTER_ID)).toBe(true);
    expect(await holds(SOMEBODY + 50)).toBe(false);
  });

  it('new mail arrives with an hour, and when it is sent: always with the highest id', async () => {
    const highest = (mails: Header[]) => mails[0]?.mail_id ?? 0;
    const before = highest(await list(SOMEBODY));
    const recipient = { recipient_id: SOMEBODY, recipient_type: 'character' } as const;
    simulated.provider.world.sendMail({
      from: FIRST_CHARACTER_ID,
      recipients: [recipient],
      subject: 'Hi',
      body: 'x',
    });
    const sent = highest(await list(SOMEBODY));
    simulated.provider.world.hour++;
    expect(sent).toBeGreaterThan(before);
    expect(highest(await list(SOMEBODY))).toBeGreaterThan(sent);
  });
});
