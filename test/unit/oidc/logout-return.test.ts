import type { Provider } from 'oidc-provider';
import { expect, it, vi } from 'vitest';
import { returnToRegistered } from '../../../server/oidc/logout-return.ts';

type Middleware = (ctx: object, next: () => Promise<void>) => Promise<void>;

it.each(['https://castellan.example:443', 'https://Castellan.example'])(
  'D82: a logout that makes room for another character goes back to the sign-in, with the BASE_URL %s',
  async (issuer) => {
    const use = vi.fn<(middleware: Middleware) => void>();
    returnToRegistered({ use } as unknown as Provider);
    const redirect = vi.fn();
    const ctx = {
      response: { get: () => 'https://castellan.example/oidc/auth/abc' },
      oidc: {
        route: 'end_session_confirm',
        issuer,
        entities: {},
        urlFor: () => `${issuer}/oidc/logout/success`,
      },
      redirect,
    };
    await use.mock.calls[0]?.[0](ctx, async () => undefined);
    expect(use).toHaveBeenCalledOnce();
    expect(redirect).not.toHaveBeenCalled();
  },
);
