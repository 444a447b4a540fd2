/** Proving who is behind a client of the voice server. */
import { z } from 'zod';
import { level } from './access.ts';
import { c, component, DateTime, field } from './common.ts';
import { errors } from './error-body.ts';
import { UserShort } from './user.ts';

export const VoiceChallenge = component(
  z.object({
    expiration_datetime: field(DateTime, 'When the challenge ends.'),
    challenge_nickname: field(z.string(), 'The nickname to take on the voice server: 20 letters and digits.'),
    user: UserShort,
  }),
  'VoiceChallenge',
  'A nickname that proves who takes it.',
  {
    expiration_datetime: '2026-03-02T07:07:30.125Z',
    challenge_nickname: 'k7Qm2XvR9tLb4WzC8nHd',
    user: { character_id: 2112000001, character_name: 'Ada Vale' },
  },
);
export type VoiceChallenge = z.infer<typeof VoiceChallenge>;

const owner = level(0, {
  besides: 'A user token that was made from the permanent token of somebody else (D23) is refused.',
});

export const voiceRoutes = c.router({
  start: {
    method: 'POST',
    path: '/voice/auth/start',
    summary: 'Start a voice challenge',
    description:
      'Answers a random nickname. Take it on the voice server within one minute, then complete the challenge. A new challenge replaces the one before. Where no voice server is configured: 404.',
    body: c.noBody(),
    responses: { 200: field(VoiceChallenge, 'The challenge.'), ...errors(404, 413, 415) },
    metadata: {
      operationId: 'startVoiceChallenge',
      codes: ['forbidden_to_all', 'voice_not_configured'],
      ...owner,
    },
  },
  complete: {
    method: 'POST',
    path: '/voice/auth/complete',
    summary: 'Complete a voice challenge',
    description:
      'Finds the client with the nickname and binds its voice identity to the caller, who becomes a member of the voice autogroup. An identity belongs to the last user who proved it: a former user loses it. 404 `Could not find challenge for user` without a valid challenge; 404 `Could not find corresponding teamspeak client` if no client has the nickname, or more than one does; 404 where no voice server is configured; 502 where it cannot be reached or understood. The nickname is the proof: tell it nobody.',
    body: c.noBody(),
    responses: { 201: c.noBody(), ...errors(404, 413, 415, 502) },
    metadata: {
      operationId: 'completeVoiceChallenge',
      codes: [
        'forbidden_to_all',
        'voice_not_configured',
        'voice_challenge_missing',
        'voice_client_missing',
        'voice_server_unavailable',
      ],
      ...owner,
    },
  },
});
