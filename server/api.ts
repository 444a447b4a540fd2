import type { AppRouter } from '@ts-rest/core';
import type { Router } from 'express';
import { contract } from '../contract/index.ts';
import { allianceHandlers } from './alliance/alliance.routes.ts';
import { auditHandlers } from './audit/audit.routes.ts';
import { coalitionHandlers } from './coalition/coalition.routes.ts';
import { corporationHandlers } from './corporation/corporation.routes.ts';
import { crashHandlers } from './crash/crash.routes.ts';
import { storeCrash } from './crash/crash.ts';
import { extHandlers } from './ext/ext.routes.ts';
import { feedHandlers } from './feed/feed.routes.ts';
import { groupHandlers } from './group/group.routes.ts';
import { historyHandlers } from './history/history.routes.ts';
import type { MessageClasses } from './http/messages.ts';
import { mount } from './http/mount.ts';
import { createHttp } from './http/server.ts';
import type { Services } from './services/services.ts';
import { callbackHandlers, startLoginHandler } from './sign-in/sign-in.routes.ts';
import { systemHandlers } from './system/system.routes.ts';
import { tokenHandlers } from './token/token.routes.ts';
import { userHandlers } from './user/user.routes.ts';
import { voiceHandlers } from './voice/voice.routes.ts';
import { webhookHandlers } from './webhook/webhook.routes.ts';

/** Every operation of the contract with its handler: the one place that knows all routes. */
export function createApi(services: Services, messages?: MessageClasses): ReturnType<typeof createHttp> {
  return createHttp(services, resources(services), storeCrash, messages);
}

/** Resources whose paths begin with something else than their name: what is below it is ours and never forwarded. */
const PATHS: Readonly<Record<string, string>> = { history: 'ext/history' };

/** One router for each resource of the contract, by what its paths begin with. */
function resources(services: Services): Map<string, Router> {
  const handlers: { readonly [Name in keyof typeof contract]: Router } = {
    alliance: mount(contract.alliance, allianceHandlers(services), services),
    audit: mount(contract.audit, auditHandlers(services), services),
    callback: mount(contract.callback, callbackHandlers(services), services),
    coalition: mount(contract.coalition, coalitionHandlers(services), services),
    corporation: mount(contract.corporation, corporationHandlers(services), services),
    crash: mount(contract.crash, crashHandlers(services), services),
    event: mount(contract.event, feedHandlers(services), services),
    ext: mount(contract.ext, extHandlers(services), services),
    group: mount(contract.group, groupHandlers(services), services),
    history: mount(contract.history, historyHandlers(services), services),
    system: mount(contract.system, systemHandlers(services), services),
    token: mount(
      contract.token,
      { ...tokenHandlers(services), startLogin: startLoginHandler(services) },
      services,
    ),
    user: mount(contract.user, userHandlers(services), services),
    voice: mount(contract.voice, voiceHandlers(services), services),
    webhook: mount(contract.webhook, webhookHandlers(services), services),
  } satisfies Record<keyof typeof contract & keyof AppRouter, Router>;
  return new Map(Object.entries(handlers).map(([name, router]) => [PATHS[name] ?? name, router]));
}
