import { expect, it } from 'vitest';
import { isRedirectedTo } from '../../../server/http/gate.ts';
import { isForPeople } from '../../../server/http/html-page.ts';

it.each([
  ['/callback/ext', true],
  ['/callback/ext/', true],
  ['/oidc/auth', true],
  ['/oidc/auth/x', true],
  ['/oidc/logout', true],
  ['/oidc/interaction/x/login', true],
  ['/group', false],
  ['/oidc/token', false],
  ['/oidc/client', false],
  ['/', false],
])('D62: gate and service agree whether browsers are redirected to %s: %s', (path, isPage) => {
  expect([isRedirectedTo(path), isForPeople(path)]).toEqual([isPage, isPage]);
});
