import { describe, expect, it } from 'vitest';
import { cookiesOf } from '../../../server/oidc/cookies.ts';
import { bindingCookie } from '../../../server/sign-in/interaction.ts';

const of = (baseUrl: string) => {
  const settings = { baseUrl, encryptionKeys: [{ id: 'a', key: Buffer.alloc(32, 1) }] };
  const cookies = cookiesOf(settings as never);
  return { session: cookies?.names?.session, cookies, binding: bindingCookie(settings, 'state-code', 'uid') };
};

describe('D82: cookies', () => {
  it('over https no other host can set the session, and none is sent in the clear', () => {
    const { session, binding } = of('https://castellan.example/deep');
    expect(session).toBe('__Host-castellan_session');
    expect(binding).toMatch(/^__Host-castellan_sign_in_[^;]+; Path=\/; .*HttpOnly; SameSite=Lax; Secure$/);
  });

  it('over http, on the own machine, browsers keep them all the same', () => {
    const { session, binding } = of('http://localhost:8080');
    expect(session).toBe('castellan_session');
    expect(binding).toMatch(/^castellan_sign_in_[^;]+; Path=\/; .*HttpOnly; SameSite=Lax$/);
  });

  it('their keys are derived: the same for every process, and not the key that encrypts', () => {
    const [one, other] = [of('https://one.example'), of('https://one.example')];
    expect(one.cookies?.keys).toEqual(other.cookies?.keys);
    expect(String(one.cookies?.keys)).not.toContain(Buffer.alloc(32, 1).toString('base64url').slice(0, 20));
    expect(one.cookies?.long).toMatchObject({ httpOnly: true, sameSite: 'lax', signed: true });
  });
});
