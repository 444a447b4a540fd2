/**
 * Everything that the service has to do with, in a process of its own: the game's sign-on and API, the voice server, and
 * an application that is called back. Ends with the process that started it.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startSimulatedProvider } from '../../../dev/provider/provider.ts';
import { startSimulatedVoiceServer } from '../../../dev/voice-server/server.ts';
import type { World } from '../../../dev/world/world.ts';
import type { Member, OutsideOrder, OutsideReady } from './outside.ts';
import { fine, type Outside, TROUBLES, type Trouble } from './troubles.ts';

const IDENTITIES = 8;
/** Characters that move to another corporation at a time. */
const MOVES = 2;

let outside: Outside;
const ends = new Map<Trouble, () => void>();

async function start(client: { clientId: string; clientSecret: string }): Promise<OutsideReady> {
  const voice = await startSimulatedVoiceServer();
  const provider = await startSimulatedProvider({ ...client, voice });
  // Never used up: the error limit is what is told of.
  provider.setRateLimit('market-order', 1_000_000_000);
  outside = { provider, voice, answer: fine };
  const receiver = createServer((request, response) => {
    request.resume().once('end', () => outside.answer(response));
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const identities = Array.from({ length: IDENTITIES }, (_, n) => voice.world.connect(`Somebody ${n}`));
  const { ssoUrl, apiUrl, specUrl, world } = provider;
  return {
    ...{ kind: 'ready' as const, ssoUrl, apiUrl, specUrl, voiceUrl: voice.url },
    receiver: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
    clids: identities.map(({ clid }) => clid),
    alliances: world.alliances.map(({ id }) => id),
    members: peopleOf(world, (alliance) => alliance !== null),
    strangers: peopleOf(world, (alliance) => alliance === null),
  };
}

/** Those who lead nothing, of the corporations in an alliance or of the others. */
function peopleOf(world: World, wanted: (alliance: number | null) => boolean): Member[] {
  return world.corporations
    .filter(({ npc, allianceId }) => !npc && wanted(allianceId))
    .flatMap(({ id }) => world.membersOf(id))
    .map((id) => world.character(id))
    .filter((character) => character !== undefined)
    .filter(({ isCeo }) => !isCeo)
    .map(({ id, name, corporationId }) => ({ id, name, corporationId }));
}

/** Lets an hour pass in the game, in which some of these move. */
function live(movers: readonly number[]): void {
  const { world } = outside.provider;
  world.hour += 1;
  const homes = world.corporations.filter(({ allianceId }) => allianceId !== null);
  for (let n = 0; n < MOVES; n += 1) {
    const mover = movers[(world.hour * MOVES + n) % movers.length];
    const home = homes[(world.hour + n) % homes.length];
    if (mover !== undefined && home !== undefined) world.moveCharacter(mover, home.id);
  }
}

process.on('message', async (order: OutsideOrder) => {
  if (order.kind === 'start') process.send?.(await start(order));
  else if (order.kind === 'live') live(order.movers);
  else {
    ends.get(order.trouble)?.();
    ends.delete(order.trouble);
    if (order.on) ends.set(order.trouble, TROUBLES[order.trouble](outside));
    process.send?.({ kind: 'done' });
  }
});
process.once('disconnect', () => process.exit());
