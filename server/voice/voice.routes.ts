import type { contract } from '../../contract/index.ts';
import type { Handlers } from '../http/mount.ts';
import type { Parts } from '../services/services.ts';
import { completeChallenge, createLook, startChallenge } from './voice.ts';

export function voiceHandlers(parts: Parts): Handlers<typeof contract.voice> {
  const look = createLook(parts);
  return {
    start: async ({ caller }) => ({ status: 200, body: await startChallenge(parts, caller) }),
    complete: async ({ caller }) => {
      await completeChallenge(parts, look, caller);
      return { status: 201, body: undefined };
    },
  };
}
