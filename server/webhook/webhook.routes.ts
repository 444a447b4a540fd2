import type { contract } from '../../contract/index.ts';
import type { Handlers } from '../http/mount.ts';
import { tellNextPage } from '../http/next-page.ts';
import type { Services } from '../services/services.ts';
import { getDeliveries, replay, retryDelivery, sendTest } from './delivery.ts';
import {
  createWebhook,
  getWebhook,
  getWebhooks,
  removeWebhook,
  rotateSecret,
  updateWebhook,
} from './webhook.ts';

export function webhookHandlers(services: Services): Handlers<typeof contract.webhook> {
  return {
    list: async ({ caller }) => ({ status: 200, body: await getWebhooks(services, caller) }),
    get: async ({ caller, params }) => ({
      status: 200,
      body: await getWebhook(services, caller, params.webhook_id),
    }),
    create: async ({ admission, body }) => ({
      status: 200,
      body: await createWebhook(services, admission, body),
    }),
    update: async ({ admission, params, body }) => ({
      status: 200,
      body: await updateWebhook(services, admission, params.webhook_id, body),
    }),
    delete: async ({ admission, params }) => {
      await removeWebhook(services, admission, params.webhook_id);
      return { status: 200, body: undefined };
    },
    rotate: async ({ admission, params }) => ({
      status: 200,
      body: await rotateSecret(services, admission, params.webhook_id),
    }),
    test: async ({ admission, params }) => ({
      status: 200,
      body: await sendTest(services, admission, params.webhook_id),
    }),
    listDeliveries: async ({ caller, params, query, res }) => {
      const { deliveries, next } = await getDeliveries(services, caller, params.webhook_id, query);
      tellNextPage(res, next);
      return { status: 200, body: deliveries };
    },
    retry: async ({ admission, params }) => ({
      status: 200,
      body: await retryDelivery(services, admission, params.webhook_id, params.delivery_id),
    }),
    replay: async ({ admission, params, body }) => ({
      status: 200,
      body: await replay(services, admission, params.webhook_id, body.after),
    }),
  };
}
