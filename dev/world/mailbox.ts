import { timestamp } from './character-sheet.ts';
import { hash, pick } from './random.ts';
import {
  type Character,
  EPOCH,
  FIRST_ALLIANCE_ID,
  FIRST_CHARACTER_ID,
  FIRST_CORPORATION_ID,
  type Recipient,
  type World,
} from './world.ts';

/** Mails on one page of the list (provider.md §2). */
export const MAILS_PER_PAGE = 50;

const FIRST_MAIL = 400_000_000;
const FIRST_MAILING_LIST = 145_000_001;
/** Rounds of mail before the world's first hour: twelve days. */
const ROUNDS = 48;
const ROUND = 6 * 3_600_000;
/** Ids of one round lie together, so ids ascend with time; within a round each correspondence has its slot. */
const SLOTS = 2 ** 19;
const SLOT = {
  pair: 0,
  mailingList: 262_144,
  corporation: 294_912,
  alliance: 327_680,
  sent: 400_000,
} as const;

const SUBJECTS = [
  'Fleet tonight',
  'Moved the fuel',
  'Contract for you',
  'Minutes',
  'About yesterday',
  'Fwd: prices',
] as const;
const LINES = [
  'Form up at 19:00, doctrine as usual.',
  'The fuel is in the hangar, take what you need.',
  'Prices &lt;went&gt; down &amp; will stay there.',
  'Please read it before the meeting.',
  '<a href="showinfo:5//30000005">Here</a> is the place.',
] as const;

export interface Mail {
  readonly id: number;
  readonly from: number;
  readonly recipients: readonly Recipient[];
  readonly subject: string;
  readonly timestamp: string;
  readonly labels: readonly number[];
  readonly read: boolean;
  readonly body: string;
}

/** One stream of mails; every mailbox that takes part in it holds the same mails under the same ids. */
interface Correspondence {
  readonly slot: number;
  readonly every: number;
  readonly recipient: (round: number) => Recipient;
  readonly sender: (round: number) => number;
}

/** All mails of the character's mailbox, newest first: received and sent. */
export function mailbox(world: World, character: Character): Mail[] {
  const mails: Mail[] = [];
  const first = Math.max(0, ROUNDS - world.mailRounds);
  for (const correspondence of correspondences(world, character)) {
    const { every } = correspondence;
    for (let round = Math.ceil(first / every) * every; round < ROUNDS + world.hour; round += every) {
      mails.push(generated(world, character, correspondence, round));
    }
  }
  world.sentMails.forEach((mail, n) => {
    const received = mail.recipients.some((recipient) => reaches(recipient, character));
    if (!received && mail.from !== character.id) return;
    const round = ROUNDS + mail.hour - 1;
    mails.push({
      ...mail,
      id: FIRST_MAIL + round * SLOTS + SLOT.sent + n,
      timestamp: timestamp(EPOCH + (round + 1) * ROUND + n * 1_000),
      labels: [mail.from === character.id ? 2 : 1],
      read: false,
    });
  });
  return mails.sort((a, b) => b.id - a.id);
}

function correspondences(world: World, character: Character): Correspondence[] {
  const index = character.id - FIRST_CHARACTER_ID;
  const found: Correspondence[] = [];
  const partner = FIRST_CHARACTER_ID + (index ^ 1);
  if (world.character(partner) !== undefined) {
    const [low, high] = character.id < partner ? [character.id, partner] : [partner, character.id];
    found.push({
      slot: SLOT.pair + (index >> 1),
      every: 1,
      sender: (round) => (round % 2 === 0 ? low : high),
      recipient: (round) => ({ recipient_id: round % 2 === 0 ? high : low, recipient_type: 'character' }),
    });
  }
  const list = index >> 6;
  found.push({
    slot: SLOT.mailingList + list,
    every: 7,
    sender: (round) =>
      FIRST_CHARACTER_ID + Math.min(world.population - 1, (list << 6) + (hash(list, round) % 64)),
    recipient: () => ({ recipient_id: FIRST_MAILING_LIST + list, recipient_type: 'mailing_list' }),
  });
  const ceo = world.corporation(character.corporationId)?.ceoId ?? null;
  if (ceo !== null) {
    found.push({
      slot: SLOT.corporation + character.corporationId - FIRST_CORPORATION_ID,
      every: 3,
      sender: () => ceo,
      recipient: () => ({ recipient_id: character.corporationId, recipient_type: 'corporation' }),
    });
  }
  const { allianceId } = character;
  const executor = allianceId === null ? null : (world.alliance(allianceId)?.executorCorporationId ?? null);
  const leader = executor === null ? null : (world.corporation(executor)?.ceoId ?? null);
  if (allianceId !== null && leader !== null) {
    found.push({
      slot: SLOT.alliance + allianceId - FIRST_ALLIANCE_ID,
      every: 5,
      sender: () => leader,
      recipient: () => ({ recipient_id: allianceId, recipient_type: 'alliance' }),
    });
  }
  return found;
}

function generated(world: World, character: Character, from: Correspondence, round: number): Mail {
  const h = hash(world.seed, from.slot, round);
  const sender = from.sender(round);
  const recipient = from.recipient(round);
  const label = { character: 1, mailing_list: 1, corporation: 4, alliance: 8 }[recipient.recipient_type];
  return {
    id: FIRST_MAIL + round * SLOTS + from.slot,
    from: sender,
    recipients: [recipient],
    subject: pick(SUBJECTS, h),
    timestamp: timestamp(EPOCH + round * ROUND + (h % ROUND)),
    labels: [sender === character.id ? 2 : label],
    read: hash(h, character.id) % 4 !== 0,
    body: `<font size="12" color="#ffffffff">${pick(LINES, h >>> 3)}<br>${pick(LINES, h >>> 9)}</font>`,
  };
}

function reaches(recipient: Recipient, character: Character): boolean {
  switch (recipient.recipient_type) {
    case 'character':
      return recipient.recipient_id === character.id;
    case 'corporation':
      return recipient.recipient_id === character.corporationId;
    case 'alliance':
      return recipient.recipient_id === character.allianceId;
    case 'mailing_list':
      return recipient.recipient_id === FIRST_MAILING_LIST + ((character.id - FIRST_CHARACTER_ID) >> 6);
  }
}
