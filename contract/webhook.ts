/** Webhooks: events, sent to configured URLs as they happen (D93). */
import { extendApi } from '@anatine/zod-openapi';
import { z } from 'zod';
import {
  c,
  component,
  DateTime,
  field,
  Id,
  MAX_ID,
  ObjectId,
  ObjectIdInUrl,
  wholeNumberInQuery,
} from './common.ts';
import { errors } from './error-body.ts';
import { Event, namesTypes } from './event.ts';
import { httpUrl } from './http-url.ts';
import { AfterInQuery, LimitInQuery, NEXT_PAGE, USUAL_LIMIT } from './paging.ts';

/** Seconds between the attempts of one delivery; after the last one fails, its webhook is disabled. */
export const RETRIES = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400] as const;
/** Hours for which deliveries are also signed with the former secret after it was replaced. */
export const FORMER_SECRET_HOURS = 24;
/** In a minute, of each webhook and of all those of one owner, in turns: whatever makes deliveries due costs some. */
export const DELIVERY_QUOTA = { each: 30, all: 100 } as const;
/** Turns that a replay costs, as it delivers up to 30 days again. */
export const REPLAY_COST = 5;
export const QUOTA_COSTS = `a test, a retry, a new URL and enabling it again take one, a replay takes ${REPLAY_COST}`;
const QUOTA_TEXT = `A webhook can have ${DELIVERY_QUOTA.each} turns in a minute, all webhooks of one owner ${DELIVERY_QUOTA.all}: ${QUOTA_COSTS}.`;
const MAX_TYPES = 100;
const MAX_GROUPS = 100;

const TypeName = z.string().superRefine((name, ctx) => {
  if (!namesTypes(name)) ctx.addIssue({ code: 'custom', message: 'Must be a type of events, group.* or *' });
});
const Types = field(
  z.array(TypeName).min(1, 'Must hold at least one').max(MAX_TYPES),
  'Types of events; `group.*` means all events of groups, `*` all types, including future ones.',
);
const GroupIds = field(
  z.array(ObjectIdInUrl).max(MAX_GROUPS).nullish(),
  'Of events about groups, only those about these; null: about all.',
);
const Ordered =
  'Whether deliveries are sent in the order of their positions, each after the one before it has succeeded.';
const Url = httpUrl('Where the events are posted to.');

export const DisabledReason = component(
  z.enum(['asked', 'gone', 'undeliverable', 'not_allowed']),
  'DisabledReason',
  '`asked`: by a request. `gone`: the receiver answered 410. `undeliverable`: a delivery failed at its last try. `not_allowed`: its application or owner may not have it any more.',
  'undeliverable',
);

const EXAMPLE = {
  webhook_id: '66f2a1b3c4d5e6f708192a5e',
  url: 'https://bot.example/castellan',
  types: ['group.*', 'user.standing_changed'],
  group_ids: null,
  ordered: false,
  enabled: true,
  disabled_because: null,
  disabled_on: null,
  position: 48213,
  waiting: 0,
  failures: 0,
  app_token: '1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b',
  owner_id: null,
  created_on: '2026-03-02T07:05:30.125Z',
  updated_on: '2026-03-02T07:05:30.125Z',
};

export const Webhook = component(
  z.object({
    webhook_id: field(ObjectId, 'Names the webhook: 24 hexadecimal digits.'),
    url: field(z.string(), 'Where the events are posted to.'),
    types: field(z.array(z.string()), 'Types of events, `group.*` and `*` among them.'),
    group_ids: field(
      z.array(ObjectId).nullable(),
      'Of events about groups, only those about these; null: all.',
    ),
    ordered: field(z.boolean(), Ordered),
    enabled: field(z.boolean(), 'Whether anything is delivered.'),
    disabled_because: field(DisabledReason.nullable(), 'Why nothing is delivered.'),
    disabled_on: field(DateTime.nullable(), 'Since when nothing is delivered.'),
    position: extendApi(z.number().int(), {
      format: 'int64',
      description: 'Events up to this one were taken up, whether or not they have been delivered yet.',
    }),
    waiting: field(z.number().int(), 'Deliveries that are waiting for their next try, or are under way.'),
    failures: field(z.number().int(), 'Tries that failed since one succeeded.'),
    app_token: field(z.string().uuid().nullable(), 'The application that it belongs to.'),
    owner_id: field(Id.nullable(), 'The user whom it belongs to, where it was made with a user token.'),
    created_on: DateTime,
    updated_on: DateTime,
  }),
  'Webhook',
  'Where events are sent. Its secret is shown once, when it is made.',
  EXAMPLE,
);
export type Webhook = z.infer<typeof Webhook>;

const Secret = field(
  z.string(),
  'Signs the deliveries, as Standard Webhooks 1.0 has it: `whsec_` and 32 bytes in base64. Shown this once.',
);

export const NewWebhook = component(
  Webhook.extend({ secret: Secret }),
  'NewWebhook',
  'A new webhook with its secret.',
  { ...EXAMPLE, types: ['group.*'], secret: 'whsec_<base64>' },
);
export type NewWebhook = z.infer<typeof NewWebhook>;

export const WebhookSecret = component(
  z.object({
    secret: Secret,
    former_until: field(DateTime, 'Until then deliveries carry a signature by the former secret, too.'),
  }),
  'WebhookSecret',
  'The new secret of a webhook.',
  { secret: 'whsec_<base64>', former_until: '2026-03-03T07:05:30.125Z' },
);
export type WebhookSecret = z.infer<typeof WebhookSecret>;

export const PostWebhook = component(
  z
    .object({
      url: Url,
      types: Types,
      group_ids: GroupIds,
      ordered: field(
        z.boolean().nullish(),
        `${Ordered} Otherwise many at the same time; false where absent.`,
      ),
    })
    .strict(),
  'PostWebhook',
  'A new webhook.',
  { url: 'https://bot.example/castellan', types: ['group.*', 'user.standing_changed'] },
);
export type PostWebhook = z.infer<typeof PostWebhook>;

export const PutWebhook = component(
  z
    .object({
      url: field(
        Url.nullish(),
        'Where the events are posted to from now on, what failed at the former URL included. At another host that begins at once; at the same one the pause that the receiver asked for stays, and how often it failed.',
      ),
      types: field(Types.nullish(), 'The whole list of types.'),
      group_ids: field(GroupIds, 'The whole list of groups; an empty list: all of them again.'),
      ordered: field(z.boolean().nullish(), Ordered),
      enabled: field(
        z.boolean().nullish(),
        'False: nothing is delivered, and nothing is lost. True: it continues where it stopped, and failed deliveries of the last 30 days are retried.',
      ),
    })
    .strict(),
  'PutWebhook',
  'What is to be another way about a webhook.',
  { enabled: true },
);
export type PutWebhook = z.infer<typeof PutWebhook>;

export const PostReplay = component(
  z
    .object({
      after: field(
        z.union([
          extendApi(z.number().int().min(0).max(MAX_ID), { format: 'int64' }),
          wholeNumberInQuery(0, MAX_ID),
        ]),
        'A position, as a number or like the cursors of the feed as text: the events after it are delivered again, under the ids that they had.',
      ),
    })
    .strict(),
  'PostReplay',
  'From where on to deliver again.',
  { after: 48000 },
);
export type PostReplay = z.infer<typeof PostReplay>;

const DELIVERY_STATES = ['waiting', 'delivered', 'failed'] as const;

export const WebhookDelivery = component(
  z.object({
    delivery_id: field(z.string().uuid(), 'Of the event; the header `webhook-id` of every try.'),
    type: field(z.string(), 'Type of the event, or `webhook.test`.'),
    position: extendApi(z.number().int().nullable(), {
      format: 'int64',
      description: 'Of the event; null for a test.',
    }),
    state: field(
      z.enum(DELIVERY_STATES),
      '`waiting`: for its next try, or under way. `failed`: it is not tried any more.',
    ),
    tries: field(z.number().int(), 'How often it was tried.'),
    next_try_on: field(DateTime.nullable(), 'When it is tried next; null where it is not any more.'),
    tried_on: field(DateTime.nullable(), 'When it was tried last.'),
    status: field(z.number().int().nullable(), 'What the receiver answered to the last try.'),
    fault: field(z.string().nullable(), 'Why the last try came to no answer.'),
    created_on: DateTime,
  }),
  'WebhookDelivery',
  'One event on its way to one webhook. Kept for 30 days after it has ended.',
  {
    delivery_id: '01920f3e-8a4c-7d21-9b3f-2c5e8a7d4f10',
    type: 'group.members_changed',
    position: 48213,
    state: 'waiting',
    tries: 1,
    next_try_on: '2026-03-02T07:05:35.125Z',
    tried_on: '2026-03-02T07:05:30.125Z',
    status: 503,
    fault: null,
    created_on: '2026-03-02T07:05:30.125Z',
  },
);
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const WebhookMessage = component(
  z.object({
    type: field(z.string(), 'Type of the event, or `webhook.test`.'),
    timestamp: field(DateTime, 'When it happened.'),
    data: field(
      z.union([Event, z.object({ webhook_id: field(ObjectId, 'Id of the webhook.') })]),
      'The event; of a test, which webhook it came by.',
    ),
  }),
  'WebhookMessage',
  'Body of a delivery.',
  {
    type: 'webhook.test',
    timestamp: '2026-03-02T07:05:30.125Z',
    data: { webhook_id: '66f2a1b3c4d5e6f708192a5e' },
  },
);

/** Level 10, or an application for its own webhooks. */
const access = {
  tokens: ['dyn', 'per', 'use'],
  level: 0,
  levelOf: { use: 10 },
  besides:
    'A permanent token whose owner has level 10, and such a user token, reach all webhooks; every other application its own alone, and another one’s is a 404.',
} as const;

const pathParams = z.object({
  webhook_id: field(ObjectIdInUrl, 'Id of the webhook.', '66f2a1b3c4d5e6f708192a5e'),
});
const deliveryParams = pathParams.extend({
  delivery_id: field(
    z
      .string()
      .regex(/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/, 'Must be a UUID')
      .transform((id) => id.toLowerCase()),
    'Id of the delivery.',
    '01920f3e-8a4c-7d21-9b3f-2c5e8a7d4f10',
  ),
});

export const webhookRoutes = c.router({
  list: {
    method: 'GET',
    path: '/webhook',
    summary: 'List webhooks',
    description: 'Oldest first: those that the caller reaches.',
    responses: { 200: field(z.array(Webhook), 'The webhooks.'), ...errors() },
    metadata: { positioned: true, operationId: 'listWebhooks', access },
  },
  get: {
    method: 'GET',
    path: '/webhook/:webhook_id',
    summary: 'Get a webhook',
    description: 'With its state: waiting deliveries, and why it was disabled.',
    pathParams,
    responses: { 200: field(Webhook, 'The webhook.'), ...errors(404) },
    metadata: { operationId: 'getWebhook', access },
  },
  create: {
    method: 'POST',
    path: '/webhook',
    summary: 'Create a webhook',
    description:
      'From now on events of these types are posted to the URL: at least once each, signed with the secret that this answer holds. Made with an app token it belongs to that application and goes with it; made with a user token it belongs to the user, and delivers as long as that one has level 10. A permanent token is sent all events from level 7 of its owner on, below it what `GET /audit` would show, a dynamic one what happens by itself and by the user tokens that it led to. An application can have 20, a user 100. In production the URL must lead to public addresses.',
    body: PostWebhook,
    responses: { 200: field(NewWebhook, 'The new webhook.'), ...errors(404, 409, 413, 415) },
    metadata: { operationId: 'createWebhook', codes: ['too_many_webhooks'], access },
  },
  update: {
    method: 'PUT',
    path: '/webhook/:webhook_id',
    summary: 'Change a webhook',
    description: `Changes what the body holds. A disabled webhook is enabled again by \`enabled: true\`. ${QUOTA_TEXT}`,
    pathParams,
    body: PutWebhook,
    responses: { 200: field(Webhook, 'The webhook as it is now.'), ...errors(404, 413, 415) },
    metadata: { operationId: 'updateWebhook', access },
  },
  delete: {
    method: 'DELETE',
    path: '/webhook/:webhook_id',
    summary: 'Delete a webhook',
    description: 'It ends with its deliveries; one that is under way may still arrive.',
    pathParams,
    responses: { 200: c.noBody(), ...errors(404, 413, 415) },
    metadata: { operationId: 'deleteWebhook', access },
  },
  rotate: {
    method: 'POST',
    path: '/webhook/:webhook_id/rotate',
    summary: 'Give a webhook a new secret',
    description: `For ${FORMER_SECRET_HOURS} hours deliveries carry two signatures, by the new secret and by the former one. A second rotation ends the former one at once.`,
    pathParams,
    body: c.noBody(),
    responses: { 200: field(WebhookSecret, 'The new secret.'), ...errors(404, 413, 415) },
    metadata: { operationId: 'rotateWebhookSecret', access },
  },
  test: {
    method: 'POST',
    path: '/webhook/:webhook_id/test',
    summary: 'Send a test',
    description: `Sends a delivery of the type \`webhook.test\`, once, whether or not the webhook is enabled; its delivery shows how it went. ${QUOTA_TEXT}`,
    pathParams,
    body: c.noBody(),
    responses: { 200: field(WebhookDelivery, 'The delivery.'), ...errors(404, 413, 415) },
    metadata: { operationId: 'testWebhook', access },
  },
  listDeliveries: {
    method: 'GET',
    path: '/webhook/:webhook_id/delivery',
    summary: 'List deliveries',
    description: `The latest event first. ${NEXT_PAGE}`,
    pathParams,
    query: z.object({
      state: field(z.enum(DELIVERY_STATES).optional(), 'Only those in this state.', 'failed'),
      limit: field(
        LimitInQuery.optional(),
        `Deliveries on a page; ${USUAL_LIMIT} where absent.`,
        USUAL_LIMIT,
      ),
      after: AfterInQuery.optional(),
    }),
    responses: { 200: field(z.array(WebhookDelivery), 'A page of deliveries.'), ...errors(404) },
    metadata: { operationId: 'listWebhookDeliveries', access },
  },
  retry: {
    method: 'POST',
    path: '/webhook/:webhook_id/delivery/:delivery_id/retry',
    summary: 'Try a delivery again',
    description: `At once, whatever its state, and whatever pause the receiver asked for; from there on as if it were new. ${QUOTA_TEXT}`,
    pathParams: deliveryParams,
    body: c.noBody(),
    responses: { 200: field(WebhookDelivery, 'The delivery.'), ...errors(404, 413, 415) },
    metadata: { operationId: 'retryWebhookDelivery', access },
  },
  replay: {
    method: 'POST',
    path: '/webhook/:webhook_id/replay',
    summary: 'Deliver again from a position on',
    description: `For a receiver that lost data: delivers every event after the position again, including those delivered before, once the pause is over that the receiver asked for, if any. It can go back 30 days; a position before that, or beyond the last event, is a 410. ${QUOTA_TEXT}`,
    pathParams,
    body: PostReplay,
    responses: { 200: field(Webhook, 'The webhook as it is now.'), ...errors(404, 410, 413, 415) },
    metadata: { operationId: 'replayWebhook', access },
  },
});
