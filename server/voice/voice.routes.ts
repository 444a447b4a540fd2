import type { contract } from '../../contract/index.ts';
import type { Handlers } from '../http/mount.ts';
import type { Services } from '../services/services.ts';
import { completeChallenge, createClientLookup, startChallenge } from './voice.ts';

export function voiceHandlers(services: Services): Handlers<typeof contract.voice> {
  const look = createClientLookup(services);
  return {
    start: async ({ caller }) => ({ status: 200, body: await startChallenge(services, caller) }),
    complete: async ({ admission }) => {
      await completeChallenge(services, look, admission);
      return { status: 201, body: undefined };
    },
  };
}
