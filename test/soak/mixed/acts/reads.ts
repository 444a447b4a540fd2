import { type Act, OtherStatus } from '../act.ts';
import { pick, type Scene, whole } from '../scene.ts';

const somebody = (scene: Scene) => pick(scene, scene.people);
const governor = (scene: Scene) => pick(scene, scene.governors).castellan;
const administrator = (scene: Scene) => pick(scene, scene.administrators).castellan;
const group = (scene: Scene) => ({ params: { group_id: pick(scene, scene.openGroups) } });
const character = (scene: Scene) => ({ params: { character: somebody(scene).name } });
const QUESTIONS = ['login', 'level', 'tracking'] as const;
const PAGES = ['/healthz', '/version', '/docs', '/openapi.json', '/.well-known/jwks.json'] as const;

/** What everybody asks all day. */
export const reads: readonly Act[] = [
  { name: 'who am I', rate: 24, run: (scene) => somebody(scene).castellan.token.current() },
  {
    name: 'a user',
    rate: 6,
    run: (scene) => {
      const [{ castellan }, { name: character_name }] = [somebody(scene), somebody(scene)];
      return castellan.user.get({ params: { character_name } });
    },
  },
  {
    name: 'users by part of a name',
    rate: 1.5,
    run: (scene) =>
      somebody(scene).castellan.user.list({
        query: { search: somebody(scene).name.slice(0, 3), limit: 20 },
      }),
  },
  {
    name: 'groups of a user',
    rate: 1,
    run: (scene) => somebody(scene).castellan.user.groups(character(scene)),
  },
  {
    name: 'why',
    rate: 0.5,
    run: (scene) =>
      governor(scene).user.why({ ...character(scene), query: { about: pick(scene, QUESTIONS) } }),
  },
  { name: 'a person', rate: 0.5, run: (scene) => governor(scene).user.person(character(scene)) },
  { name: 'my person', rate: 0.5, run: (scene) => somebody(scene).castellan.person.current() },
  { name: 'groups', rate: 1, run: (scene) => somebody(scene).castellan.group.list() },
  { name: 'a group', rate: 6, run: (scene) => somebody(scene).castellan.group.get(group(scene)) },
  { name: 'groups to join', rate: 0.3, run: (scene) => somebody(scene).castellan.group.joinable() },
  { name: 'a policy', rate: 0.4, run: (scene) => somebody(scene).castellan.group.policy(group(scene)) },
  { name: 'my applications', rate: 0.5, run: (scene) => somebody(scene).castellan.application.list() },
  {
    name: 'organizations',
    rate: 2,
    run: async (scene) => {
      const { castellan, corporationId: corporation_id } = somebody(scene);
      const { coalition: coalition_id } = scene;
      switch (whole(scene, 4)) {
        case 0:
          return castellan.coalition.get({ params: { coalition_id } });
        case 1:
          return castellan.corporation.get({ params: { corporation_id } });
        case 2:
          return castellan.alliance.get({ params: { alliance_id: pick(scene, scene.alliances) } });
        default:
          return castellan.corporation.list();
      }
    },
  },
  {
    name: 'tracking and compliance',
    rate: 1,
    run: async (scene) => {
      const castellan = governor(scene);
      const corporation = { params: { corporation_id: somebody(scene).corporationId } };
      const coalition = { params: { coalition_id: scene.coalition } };
      const alliance = { params: { alliance_id: pick(scene, scene.alliances) } };
      switch (whole(scene, 6)) {
        case 0:
          return castellan.corporation.tracking(corporation);
        case 1:
          return castellan.alliance.tracking(alliance);
        case 2:
          return castellan.coalition.tracking(coalition);
        case 3:
          return castellan.corporation.compliance(corporation);
        case 4:
          return castellan.coalition.compliance(coalition);
        default:
          return castellan.alliance.complianceDays(alliance);
      }
    },
  },
  {
    name: 'events and audit',
    rate: 0.4,
    run: async (scene) => {
      const { castellan, id } = somebody(scene);
      switch (whole(scene, 3)) {
        case 0:
          return castellan.audit.list({ query: { limit: 20 } });
        case 1:
          return administrator(scene).audit.list({ query: { target: `user:${id}`, limit: 20 } });
        default:
          return castellan.event.list({ query: { limit: 20 } });
      }
    },
  },
  {
    name: 'what administrators look at',
    rate: 0.7,
    run: async (scene) => {
      const castellan = administrator(scene);
      switch (whole(scene, 7)) {
        case 0:
          return castellan.system.status();
        case 1:
          return castellan.system.configuration();
        case 2:
          return castellan.system.jobs();
        case 3:
          return castellan.system.held();
        case 4:
          return castellan.crash.list();
        case 5:
          return castellan.oidc.listClients();
        default:
          return castellan.webhook.list();
      }
    },
  },
  {
    name: 'pages without a token',
    rate: 0.3,
    run: async (scene) => {
      const answer = await scene.fetch(scene.url + pick(scene, PAGES));
      const text = await answer.text();
      if (answer.status !== 200) throw new OtherStatus(answer.status, text);
    },
  },
];
