import { randomBytes, randomInt } from 'node:crypto';

/** Size of the range of the number that tells ids of one millisecond apart. */
const NUMBERS = 2 ** 30;

/** The time of the latest ids, and the number that comes next. */
let latest = { moment: Number.NaN, next: randomInt(NUMBERS / 2) };

/**
 * Creates UUIDs of version 7: the time, then a number that starts at random and counts up. So ids that this process
 * creates of one millisecond ascend, also where others come in between, and changes that follow each other stay in order.
 */
export function eventIds(count: number, now: Date): string[] {
  const random = randomBytes(count * 6);
  const moment = now.getTime();
  const exhausted = latest.next >= NUMBERS / 2 && moment !== latest.moment;
  const first = exhausted ? randomInt(NUMBERS / 2) : latest.next;
  latest = { moment, next: first + count };
  const time = moment.toString(16).padStart(12, '0');
  return Array.from({ length: count }, (_, n) => {
    const number = first + n;
    const high = Math.floor(number / 2 ** 18);
    const middle = 0x8000 + (Math.floor(number / 2 ** 4) % 2 ** 14);
    const low = (number % 2 ** 4).toString(16);
    const tail = random.toString('hex', n * 6, n * 6 + 6);
    const third = `7${high.toString(16).padStart(3, '0')}`;
    return `${time.slice(0, 8)}-${time.slice(8)}-${third}-${middle.toString(16)}-${low}${tail.slice(1)}`;
  });
}

/** The smallest id that an event of this moment or later can have. */
export function leastIdOf(moment: Date): string {
  // Times before 1970 are negative, which an id cannot represent.
  const time = Math.max(0, moment.getTime()).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

/** The time of an event, read from its id. */
export function momentOf(eventId: string): Date {
  return new Date(Number.parseInt(eventId.replace('-', '').slice(0, 12), 16));
}
