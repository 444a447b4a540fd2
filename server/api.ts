import type { AppRouter } from '@ts-rest/core';
import type { RequestHandler, Router } from 'express';
import { contract } from '../contract/index.ts';
import { allianceHandlers } from './alliance/alliance.routes.ts';
import { applicationHandlers, joiningHandlers } from './application/application.routes.ts';
import { auditHandlers } from './audit/audit.routes.ts';
import { coalitionHandlers } from './coalition/coalition.routes.ts';
import { complianceHandlers } from './compliance/compliance.routes.ts';
import { findConsoleBuild } from './console/build.ts';
import { consoleRouters } from './console/console.routes.ts';
import { corporationHandlers } from './corporation/corporation.routes.ts';
import { crashHandlers } from './crash/crash.routes.ts';
import { storeCrash } from './crash/crash.ts';
import { extHandlers } from './ext/ext.routes.ts';
import { feedHandlers } from './feed/feed.routes.ts';
import { beforeTrialOfGroup, groupHandlers } from './group/group.routes.ts';
import { historyHandlers } from './history/history.routes.ts';
import type { MessageClasses } from './http/message-classes.ts';
import { mount } from './http/mount.ts';
import { onDemand } from './http/on-demand.ts';
import { createHttp } from './http/server.ts';
import { oidcHandlers } from './oidc/oidc.routes.ts';
import { personHandlers, personOfUserHandler } from './person/person.routes.ts';
import type { Services } from './services/services.ts';
import { callbackHandlers, startLoginHandler } from './sign-in/sign-in.routes.ts';
import { systemHandlers } from './system/system.routes.ts';
import { tokenHandlers } from './token/token.routes.ts';
import { userHandlers } from './user/user.routes.ts';
import { voiceHandlers } from './voice/voice.routes.ts';
import { webhookHandlers } from './webhook/webhook.routes.ts';
import { whyHandler } from './why/why.routes.ts';

/** Mounts every operation of the contract with its handler; the only place that knows all routes. */
export function createApi(services: Services, messages?: MessageClasses): ReturnType<typeof createHttp> {
  const routers = new Map<string, RequestHandler>([...resources(services), ...protocol(services)]);
  return createHttp(services, routers, storeCrash, messages);
}

/**
 * Routers that are not in the contract: OpenID Connect has standards of its own (D80). On demand, as its library takes a
 * tenth of a start's time.
 */
function protocol(services: Services): Map<string, RequestHandler> {
  const router = onDemand(async () => {
    const { oidcProtocol } = await import('./oidc/protocol.routes.ts');
    return oidcProtocol(services);
  });
  return new Map([
    ['oidc', router],
    ['.well-known/openid-configuration', router],
  ]);
}

/** Path prefixes that differ from the resource's name. `ext/history` is never forwarded to the provider. */
const PATHS: Readonly<Record<string, string>> = { history: 'ext/history', oidc: 'oidc/client' };

/** One router for each resource of the contract, by path prefix. */
function resources(services: Services): Map<string, Router> {
  const handlers: { readonly [Name in keyof typeof contract]: Router } = {
    alliance: mount(
      contract.alliance,
      (its) => ({ ...allianceHandlers(its), ...complianceHandlers(its) }),
      services,
    ),
    application: mount(contract.application, applicationHandlers, services),
    audit: mount(contract.audit, auditHandlers, services),
    callback: mount(contract.callback, callbackHandlers, services),
    coalition: mount(
      contract.coalition,
      (its) => ({ ...coalitionHandlers(its), ...complianceHandlers(its) }),
      services,
    ),
    corporation: mount(
      contract.corporation,
      (its) => ({ ...corporationHandlers(its), ...complianceHandlers(its) }),
      services,
    ),
    crash: mount(contract.crash, crashHandlers, services),
    event: mount(contract.event, feedHandlers, services),
    ext: mount(contract.ext, extHandlers, services),
    group: mount(
      contract.group,
      (its) => ({ ...joiningHandlers(its), ...groupHandlers(its) }),
      services,
      beforeTrialOfGroup(services),
    ),
    history: mount(contract.history, historyHandlers, services),
    oidc: mount(contract.oidc, oidcHandlers, services),
    person: mount(contract.person, personHandlers, services),
    system: mount(contract.system, systemHandlers, services),
    token: mount(
      contract.token,
      (its) => ({ ...tokenHandlers(its), startLogin: startLoginHandler(its) }),
      services,
    ),
    user: mount(
      contract.user,
      (its) => ({ ...userHandlers(its), person: personOfUserHandler(its), why: whyHandler(its) }),
      services,
    ),
    voice: mount(contract.voice, voiceHandlers, services),
    webhook: mount(contract.webhook, webhookHandlers, services),
  } satisfies Record<keyof typeof contract & keyof AppRouter, Router>;
  const api = Object.entries(handlers).map(([name, router]) => [PATHS[name] ?? name, router] as const);
  return new Map([...api, ...consoleRouters(services, findConsoleBuild())]);
}
