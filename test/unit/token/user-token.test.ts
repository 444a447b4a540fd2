import { describe, expect, it } from 'vitest';
import { newUserToken } from '../../../server/token/token.ts';

const HOUR = 3_600_000;
const now = new Date('2026-09-01T12:00:00.123Z');
const made = (by: 'dyn' | 'per') =>
  newUserToken({ owner: 7, parent: 'parent', appToken: 'app', kid: 'key', now, by });

describe('D22: a new user token', () => {
  it.each([
    ['dyn', 24],
    ['per', 48],
  ] as const)('that a %s token makes lasts %i hours', (by, hours) => {
    expect(made(by)).toEqual({
      ...{ uuid: expect.stringMatching(/^[0-9a-f-]{36}$/), token_type: 'use', owner_id: 7, kid: 'key' },
      ...{ parent: 'parent', app_token: 'app', callback: null, comments: null },
      ...{ created_on: now, expires_on: new Date(now.getTime() + hours * HOUR) },
    });
  });

  it('D20: has an id of its own', () => {
    expect(made('per').uuid).not.toBe(made('per').uuid);
  });
});
