import type { Act } from '../act.ts';
import { pick, type Scene, whole } from '../scene.ts';

/** Types, and the region with the most orders, of the simulated game. */
const FIRST_TYPE = 34;
const TYPES = 8;
const REGION = 10_000_010;
const OWN = ['location', 'online', 'ship', 'skills', 'wallet', 'mail'] as const;

const somebody = (scene: Scene) => pick(scene, scene.people);
const forward = (esi_path: string, query = {}) => ({ params: { esi_path }, query });

/** What the game is asked, for callers and for what is kept of it. */
export const forwards: readonly Act[] = [
  {
    name: 'forwarded, cached for everybody',
    rate: 6,
    outside: true,
    run: (scene) =>
      somebody(scene).castellan.ext.forwardGet(forward(`universe/types/${FIRST_TYPE + whole(scene, TYPES)}`)),
  },
  {
    name: 'forwarded, of one’s own',
    rate: 1.5,
    outside: true,
    run: (scene) => {
      const { castellan, id } = somebody(scene);
      return castellan.ext.forward({ params: { esi_path: `characters/${id}/${pick(scene, OWN)}` } });
    },
  },
  {
    name: 'forwarded, on behalf of another',
    rate: 0.5,
    outside: true,
    run: (scene) => {
      const { id } = somebody(scene);
      const query = { on_behalf_of: id, id_annotations: true };
      return pick(scene, scene.governors).castellan.ext.forwardGet(
        forward(`characters/${id}/${pick(scene, OWN)}`, query),
      );
    },
  },
  {
    name: 'forwarded, all pages',
    rate: 0.03,
    outside: true,
    run: (scene) => {
      const params = JSON.stringify({ order_type: pick(scene, ['buy', 'sell', 'all']) });
      return somebody(scene).castellan.ext.forwardGet(
        forward(`markets/${REGION}/orders`, { all_pages: true, params }),
      );
    },
  },
  {
    name: 'histories',
    rate: 1,
    run: async (scene) => {
      const { castellan, id: character_id } = somebody(scene);
      const of = { params: { character_id } };
      switch (whole(scene, 4)) {
        case 0:
          return castellan.history.locations(of);
        case 1:
          return castellan.history.mails(of);
        case 2:
          return castellan.history.skillPoints(of);
        default:
          return pick(scene, scene.governors).castellan.history.wallet(of);
      }
    },
  },
  {
    name: 'a location now',
    rate: 0.1,
    outside: true,
    run: (scene) => {
      const { castellan, id: character_id } = somebody(scene);
      return castellan.history.storeLocation({ params: { character_id } });
    },
  },
];
