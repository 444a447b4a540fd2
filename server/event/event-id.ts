import { randomBytes } from 'node:crypto';

/** Ids of one millisecond that are told apart by their number. */
const NUMBERS = 2 ** 30;

/** The last millisecond that ids were made of, and the number that follows theirs. */
let latest = { moment: Number.NaN, next: 0 };

/**
 * So many UUIDs of version 7: the time, then a number from a random one on. Each is greater than those that this process
 * made before of the same moment, so that changes that follow each other quickly stay in order.
 */
export function eventIds(count: number, now: Date): string[] {
  const random = randomBytes(4 + count * 6);
  const moment = now.getTime();
  const first = moment === latest.moment ? latest.next : random.readUInt32BE(0) % (NUMBERS / 2);
  latest = { moment, next: first + count };
  const time = moment.toString(16).padStart(12, '0');
  return Array.from({ length: count }, (_, n) => {
    const number = first + n;
    const high = Math.floor(number / 2 ** 18);
    const middle = 0x8000 + (Math.floor(number / 2 ** 4) % 2 ** 14);
    const low = (number % 2 ** 4).toString(16);
    const tail = random.subarray(4 + n * 6, 10 + n * 6).toString('hex');
    const third = `7${high.toString(16).padStart(3, '0')}`;
    return `${time.slice(0, 8)}-${time.slice(8)}-${third}-${middle.toString(16)}-${low}${tail.slice(1)}`;
  });
}

/** The least id that an event of this moment, or of a later one, can have. */
export function leastIdOf(moment: Date): string {
  // Before 1970 nothing happened here.
  const time = Math.max(0, moment.getTime()).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

/** When an event happened, by its id. */
export function momentOf(eventId: string): Date {
  return new Date(Number.parseInt(eventId.replace('-', '').slice(0, 12), 16));
}
