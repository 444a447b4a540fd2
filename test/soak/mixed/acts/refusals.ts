import { Agent } from 'undici';
import { type Act, OtherStatus, refused } from '../act.ts';
import { pick, type Scene } from '../scene.ts';

const somebody = (scene: Scene) => pick(scene, scene.people);
const administrator = (scene: Scene) => pick(scene, scene.administrators).castellan;
const NOBODY = 'f0'.repeat(12);
/** More than a token may ask in two minutes: those in which it asks may be two. */
const BEYOND = 1_300;
const AT_ONCE = 10;
/** More long polls than one caller may have. */
const POLLS = 70;
/** Seconds for which they are at the same time, however slow the machine is. */
const POLLED = 5;
let polling = false;

/** What the SDK does not send. */
async function raw(scene: Scene, path: string, init: RequestInit): Promise<never> {
  const authorization = `Bearer ${somebody(scene).token}`;
  const headers = { authorization, 'content-type': 'application/json', ...init.headers };
  const answer = await scene.fetch(scene.url + path, { ...init, headers });
  throw new OtherStatus(answer.status, await answer.text());
}

const KINDS: readonly ((scene: Scene) => Promise<unknown>)[] = [
  ({ stranger }) => refused(401, () => stranger.token.current()),
  ({ as }) => refused(401, () => as('not.a.token').token.current()),
  ({ loggedOut }) => refused(401, () => loggedOut.token.current()),
  ({ application }) => refused(401, () => application.group.list()),
  (scene) => refused(403, () => somebody(scene).castellan.system.configuration()),
  (scene) => refused(403, () => somebody(scene).castellan.group.create({ body: { group_name: 'Mine' } })),
  (scene) => refused(404, () => somebody(scene).castellan.group.get({ params: { group_id: NOBODY } })),
  (scene) =>
    refused(404, () => somebody(scene).castellan.ext.forwardGet({ params: { esi_path: 'no/such/path' } })),
  (scene) => refused(405, () => raw(scene, '/group', { method: 'PATCH', body: '{}' })),
  (scene) => refused(409, () => administrator(scene).group.create({ body: { group_name: 'Open 0' } })),
  (scene) =>
    refused(409, () =>
      administrator(scene).group.update({ params: { group_id: scene.autogroup }, body: { members: [] } }),
    ),
  (scene) => refused(410, () => somebody(scene).castellan.event.list({ query: { after: 2 ** 50 } })),
  (scene) =>
    refused(413, () => raw(scene, '/ext/status', { method: 'POST', body: `"${'x'.repeat(40_000)}"` })),
  (scene) =>
    refused(415, () =>
      raw(scene, '/ext/status', { method: 'POST', body: '{}', headers: { 'content-encoding': 'br' } }),
    ),
  (scene) => refused(422, () => somebody(scene).castellan.user.list({ query: { limit: 0 } })),
  (scene) => refused(422, () => raw(scene, '/ext/status', { method: 'POST', body: '{"colour":1' })),
];

/** What is refused, each kind of it. */
export const refusals: readonly Act[] = [
  { name: 'what is refused', rate: 2, run: (scene) => pick(scene, KINDS)(scene) },
  {
    name: 'more long polls than one may have',
    rate: 0.02,
    run: async (scene) => {
      // One after the other, so that the service never has more connections than for one of them.
      if (polling) return;
      polling = true;
      const connections = new Agent({ connections: POLLS });
      try {
        const { event, group } = scene.as(pick(scene, scene.governors).token, connections);
        const { headers } = await group.list.answer();
        const after = Number(headers.get('castellan-position'));
        // Of these types nothing happens.
        const query = { after, types: 'crash.*', wait: POLLED };
        // Tried again by itself, a refused one would get the place of one that has ended.
        const polls = Array.from({ length: POLLS }, () => event.list({ query, retries: 0 }));
        const settled = Promise.allSettled(polls);
        await refused(429, () => Promise.all(polls));
        await settled;
      } finally {
        polling = false;
        await connections.close();
      }
    },
  },
  {
    name: 'more than one may ask',
    rate: 0.008,
    run: ({ greedy: { castellan } }) => {
      let left = BEYOND;
      const ask = async () => {
        for (; left > 0; left -= 1) await castellan.token.current();
      };
      return refused(429, async () => {
        await Promise.all(Array.from({ length: AT_ONCE }, ask));
      });
    },
  },
];
