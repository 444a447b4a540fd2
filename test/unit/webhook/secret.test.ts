import { describe, expect, it } from 'vitest';
import { newSecret, signaturesOf } from '../../../server/webhook/secret.ts';

/** The example with which the libraries of Standard Webhooks are tested. */
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const MESSAGE = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: 1_614_265_330,
  body: '{"test": 2432232314}',
};
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

describe('D93: signatures as in Standard Webhooks 1.0', () => {
  it('match its known example', () => {
    expect(signaturesOf([SECRET], MESSAGE)).toBe(SIGNATURE);
  });

  it('are two, separated by a space, while two secrets are valid', () => {
    const other = newSecret();
    const [first, second, ...more] = signaturesOf([SECRET, other], MESSAGE).split(' ');
    expect(first).toBe(SIGNATURE);
    expect(second).toBe(signaturesOf([other], MESSAGE));
    expect(second).not.toBe(first);
    expect(more).toEqual([]);
  });

  it('are made with secrets of 32 random bytes after whsec_', () => {
    const secrets = [newSecret(), newSecret()];
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    }
    expect(secrets[0]).not.toBe(secrets[1]);
  });
});
