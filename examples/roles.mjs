// Keeps the roles of a chat in line with groups, and catches up after being away.
//
//   npm install ./castellan-sdk-*.tgz      (not published yet: npm pack --workspace sdk in a checkout makes it)
//   CASTELLAN_URL=https://castellan.example CASTELLAN_TOKEN=… node roles.mjs          (or --once, from a timer)
//
// The token is a permanent app token whose owner has level 7: it follows every event. STATE is the file that holds which
// roles were given and how far the events were followed: one file, so that one is never ahead of the other.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { CastellanError, createCastellan, ok } from '@castellan/sdk';

const { CASTELLAN_URL = 'http://127.0.0.1:8080', CASTELLAN_TOKEN, STATE = 'roles.json' } = process.env;
const once = process.argv.includes('--once');
/** Seconds that an answer is held back until something happens. */
const WAIT = once ? 0 : 25;

/** Waits where it asks too often: a snapshot may take more requests than a token has in a minute (RATE_LIMIT). */
async function patiently(...request) {
  for (;;) {
    const answer = await fetch(...request);
    if (answer.status !== 429) return answer;
    await answer.body?.cancel();
    await sleep(Number(answer.headers.get('retry-after') ?? 1) * 1000);
  }
}

const castellan = createCastellan({
  baseUrl: CASTELLAN_URL,
  token: CASTELLAN_TOKEN,
  timeout: 180_000,
  fetch: patiently,
});

// Here the chat is asked. What is cut short between this and the next write of the state is done once more.
const give = async (character, role) => process.stdout.write(`+ ${role} ${character}\n`);
const take = async (character, role) => process.stdout.write(`- ${role} ${character}\n`);

/** What was done so far: `{ cursor, groups: { id: { name, members } } }`; no cursor: nothing yet. */
const state = await readFile(STATE, 'utf8').then(JSON.parse, (error) => {
  if (error.code !== 'ENOENT') throw error;
  return { groups: {} };
});

/** Written beside and put in its place in one step: whatever happens, the file is whole. */
async function save() {
  await writeFile(`${STATE}.new`, JSON.stringify(state));
  await rename(`${STATE}.new`, STATE);
}

/** Makes a group what it is now; what is so already costs nothing, so an event may be told twice. */
async function bring(id, { name, members }) {
  const { name: role = name, members: had = [] } = state.groups[id] ?? {};
  const renamed = role !== name;
  for (const one of had) if (renamed || !members.includes(one)) await take(one, role);
  for (const one of members) if (renamed || !had.includes(one)) await give(one, name);
  state.groups[id] = { name, members };
}

async function remove(id) {
  const { name, members = [] } = state.groups[id] ?? {};
  for (const one of members) await take(one, name);
  delete state.groups[id];
}

/** All groups as they are. The position was read before them: what happened meanwhile is told once more. */
async function takeSnapshot() {
  const listed = await castellan.group.list.answer();
  const cursor = listed.headers.get('castellan-position');
  const groups = await ok(listed);
  const ids = new Set(groups.map(({ group_id }) => group_id));
  for (const id of Object.keys(state.groups)) if (!ids.has(id)) await remove(id);
  for (const { group_id } of groups) {
    const answer = await castellan.group.get.answer({ params: { group_id } });
    if (answer.status === 404) continue; // Deleted since it was listed: an event says so.
    const { group_name: name, members } = await ok(answer);
    await bring(group_id, { name, members: members.map(({ character_id }) => character_id) });
  }
  state.cursor = cursor;
  await save();
}

async function learn({ type, targets, changes }) {
  const [{ id }] = targets;
  if (type === 'group.deleted') return remove(id);
  const { name = '', members = [] } = state.groups[id] ?? {};
  const next = { name, members: new Set(members) };
  for (const { field, after, added = [], removed = [] } of changes) {
    if (field === 'group_name') next.name = after;
    if (field !== 'members') continue;
    for (const one of added) next.members.add(one);
    for (const one of removed) next.members.delete(one);
  }
  return bring(id, { name: next.name, members: [...next.members] });
}

/** Asks for what happened since; returns whether there is more. */
async function follow() {
  const query = { after: state.cursor, types: 'group.*', limit: 1000, wait: WAIT };
  const { events, cursor, more } = await castellan.event.list({ query });
  for (const event of events) await learn(event);
  state.cursor = cursor;
  await save();
  return more;
}

if (state.cursor === undefined) await takeSnapshot();
for (;;) {
  try {
    const more = await follow();
    if (once && !more) break;
  } catch (error) {
    if (!(error instanceof CastellanError)) throw error;
    process.stderr.write(`${error.status} ${error.code}: ${error.message} (request ${error.requestId})\n`);
    if (error.code !== 'resync') process.exit(1);
    // Away for too long, or the service went back to a backup.
    await takeSnapshot();
  }
}
