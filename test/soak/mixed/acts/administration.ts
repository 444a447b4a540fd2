import { scheduledJobs } from '../../../../server/queue/job-catalogue.ts';
import type { Act } from '../act.ts';
import { pick, type Scene } from '../scene.ts';

const administrator = (scene: Scene) => pick(scene, scene.administrators).castellan;
/** Jobs that tell what they would change. */
const TRIED = [
  ...(['check-voice-nicknames', 'follow-names', 'judge-memberships'] as const),
  ...(['refresh-organizations', 'sync-users', 'sync-voice-groups'] as const),
];

/** What administrators do. */
export const administration: readonly Act[] = [
  {
    name: 'a coalition for a moment',
    rate: 0.05,
    run: async (scene) => {
      const { coalition } = administrator(scene);
      const n = scene.next();
      const { coalition_id } = await coalition.create({
        body: { coalition_name: `Pact ${n}`, ticker: `P${n}` },
      });
      const params = { coalition_id };
      const alliances = [pick(scene, scene.alliances)];
      await coalition.update({ params, body: { add_member_alliances: alliances } });
      await coalition.delete.preview({ params });
      await coalition.update({ params, body: { remove_member_alliances: alliances, ticker: `Q${n}` } });
      await coalition.delete({ params });
    },
  },
  {
    name: 'a level up and down',
    rate: 0.1,
    run: (scene) =>
      scene.climbers.lend(async ({ id: character_id }) => {
        const { user } = administrator(scene);
        const params = { character_id };
        await user.update.preview({ params, body: { clearance_level: 4 } });
        await user.update({ params, body: { clearance_level: 4 } });
        await user.update({ params, body: { clearance_level: 0 } });
      }),
  },
  {
    name: 'required scopes, tried',
    rate: 0.1,
    run: (scene) => {
      const { corporationId: corporation_id } = pick(scene, scene.people);
      const body = { mandatory_ext_scopes: ['ext-fleets.read_fleet.v1' as const] };
      return administrator(scene).corporation.update.preview({ params: { corporation_id }, body });
    },
  },
  {
    name: 'an application for a moment',
    rate: 0.03,
    run: async ({ root, outside, as }) => {
      const body = { callback: `${outside.receiver}/app` };
      const { tkn } = await root.token.createPermanent({ body });
      const made = as(tkn);
      const { uuid } = await made.token.current();
      await as((await made.token.createUserToken()).user_token).token.current();
      await root.token.delete({ query: { uuid } });
    },
  },
  {
    name: 'a webhook for a moment',
    rate: 0.05,
    run: async ({ root, outside }) => {
      const body = { url: `${outside.receiver}/moment`, types: ['group.*'] };
      const { webhook_id } = await root.webhook.create({ body });
      const params = { webhook_id };
      await root.webhook.update({ params, body: { types: ['*'] } });
      await root.webhook.rotate({ params });
      await root.webhook.listDeliveries({ params, query: {} });
      await root.webhook.delete({ params });
    },
  },
  {
    name: 'a job now',
    rate: 0.05,
    run: (scene) =>
      administrator(scene).system.runJob({ params: { job_id: pick(scene, scheduledJobs) }, query: {} }),
  },
  {
    name: 'a job tried',
    rate: 0.03,
    outside: true,
    run: (scene) =>
      administrator(scene).system.runJob({
        params: { job_id: pick(scene, TRIED) },
        query: { dry_run: true },
      }),
  },
];
