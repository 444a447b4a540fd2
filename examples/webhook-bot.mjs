// A bot that is told by a webhook who comes into a group and who leaves it. Needs nothing but Node.
//
//   WEBHOOK_SECRET=whsec_… PORT=3001 node webhook-bot.mjs
//
// The secret is what POST /webhook answered, once; while it is being replaced, both with a space between. INBOX is the
// file that deliveries are kept in.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { appendFile, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

const { WEBHOOK_SECRET = '', PORT = '3001', INBOX = 'inbox.ndjson' } = process.env;
const keys = WEBHOOK_SECRET.split(' ').map((secret) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64'));
if (!keys.every(({ length }) => length >= 24))
  throw new Error('WEBHOOK_SECRET is not what POST /webhook answered');

/** Seconds by which clocks may differ: an older delivery may be somebody's who recorded it. */
const TOLERANCE = 5 * 60;
/** Bytes of a body: an event names at most 500 members. */
const LONGEST = 256 * 1024;

/** Whether the service sent these bytes, and just now, after Standard Webhooks 1.0. */
function isGenuine(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE)) return false;
  const given = signatures
    .split(' ')
    .flatMap((one) => (one.startsWith('v1,') ? [Buffer.from(one.slice(3), 'base64')] : []));
  return keys.some((key) => {
    const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
    return given.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
  });
}

/** Undefined: it is too long. */
async function readBody(request) {
  const parts = [];
  let length = 0;
  for await (const part of request) {
    length += part.length;
    if (length > LONGEST) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Ids of what is in the inbox, or on its way there: a delivery may come more than once, even twice at a time. */
const kept = new Map();
/** What is in the inbox and was not finished, by id: the process ended before. */
const unfinished = new Map();
for (const line of (await readFile(INBOX, 'utf8').catch(() => '')).split('\n')) {
  try {
    const { id, data, done } = JSON.parse(line);
    kept.set(id, Promise.resolve());
    if (done) unfinished.delete(id);
    else unfinished.set(id, data);
  } catch {
    // The disk was full: this delivery was refused, and comes again.
  }
}
for (const [id, data] of unfinished) await finish(id, data);

/** The line end comes first: what is before may be half a line, which must not take this one with it. */
function write(line) {
  return appendFile(INBOX, `\n${JSON.stringify(line)}`);
}

/** Keeps a delivery where a restart does not lose it; one that is there already stays as it is. */
function keep(id, message) {
  const known = kept.get(id);
  if (known !== undefined) return known;
  const writing = write({ id, ...message });
  kept.set(id, writing);
  // Not kept, not there: the next try brings it again.
  writing.then(
    () => setImmediate(finish, id, message.data),
    () => kept.delete(id),
  );
  return writing;
}

/** Works on what is kept, and notes that it is done: what ends the process in between is tried again by the next start. */
async function finish(id, data) {
  try {
    work(data);
    await write({ id, done: true });
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
  }
}

/** What the bot is there for: as slow as it likes, for the answer does not wait for it. */
function work({ type, targets, changes }) {
  if (type !== 'group.members_changed') return;
  const [{ name, id }] = targets;
  for (const { added = [], removed = [] } of changes) {
    if (added.length > 0) process.stdout.write(`${name ?? id}: ${added.join(', ')} came\n`);
    if (removed.length > 0) process.stdout.write(`${name ?? id}: ${removed.join(', ')} left\n`);
  }
}

async function answer(request) {
  if (request.method !== 'POST') return 405;
  const body = await readBody(request);
  if (body === undefined) return 413;
  if (!isGenuine(request.headers, body)) return 401;
  await keep(request.headers['webhook-id'], JSON.parse(body));
  return 204;
}

const server = createServer((request, response) => {
  answer(request).then(
    (status) => response.writeHead(status).end(),
    (error) => {
      process.stderr.write(`${error.message}\n`);
      response.writeHead(500).end();
    },
  );
});
server.listen(Number(PORT), '127.0.0.1', () =>
  process.stdout.write(`http://127.0.0.1:${server.address().port}/\n`),
);
