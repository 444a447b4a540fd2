/** The requests that the service sends to others, by name. */
import { RETRIES, WebhookMessage } from '../webhook.ts';
import { exampleOf, schemaOf } from './schema.ts';
import type { OpenApiPath } from './types.ts';

const signed = (name: string, description: string, example: string) => ({
  name,
  in: 'header' as const,
  description,
  required: true,
  schema: { type: 'string' },
  example,
});

export function webhooks(): Record<string, OpenApiPath> {
  const message = schemaOf(WebhookMessage);
  return {
    signIn: {
      get: {
        tags: ['callback'],
        operationId: 'onSignIn',
        summary: 'A user signed in',
        description:
          "Sent to the callback of the application that began a sign-in, in addition to the redirect of the player's browser, so that the application learns of sign-ins whose browser did not return. Repeated until it is answered with a status below 400, or with another 4xx than 408 and 429, at most until the token expires: the same event can arrive twice. Redirects are not followed. Whoever began the sign-in is not proven to be who calls, so no session may be opened for it alone.",
        security: [],
        parameters: [
          {
            name: 'state_code',
            in: 'query',
            description: 'The state code that the sign-in was begun with.',
            required: true,
            schema: { type: 'string' },
            example: '0b7c8f7e-6f5d-4c3b-9a21-0f1e2d3c4b5a',
          },
          {
            name: 'user_token',
            in: 'query',
            description: 'The user token, the same that the browser brings.',
            required: true,
            schema: { type: 'string', format: 'jwt' },
            example: 'eyJhbGciOiJFZERTQSJ9.eyJ0eXAiOiJ1c2UifQ.c2lnbmF0dXJl',
          },
          {
            name: 'Castellan-Event',
            in: 'header',
            description: 'Tells the event from the browser of a player.',
            required: true,
            schema: { type: 'string', enum: ['sign-in'] },
            example: 'sign-in',
          },
        ],
        responses: {
          200: { description: 'Any status below 400 says that the event has arrived.' },
          '4XX': { description: 'Refused for good; but 408 and 429 are tried again.' },
          '5XX': { description: 'Tried again later: after 5 seconds at first, then ever less often.' },
        },
      },
    },
    event: {
      post: {
        tags: ['webhook'],
        operationId: 'onEvent',
        summary: 'Something happened',
        description:
          'Sent to each webhook that wants events of the type, signed after Standard Webhooks 1.0: verify the signature over the bytes of the body before anything else, and refuse a timestamp that is more than five minutes off. Each event comes at least once, so keep the ids that you have dealt with. `data` is the event as `GET /event` shows it; a test, of the type `webhook.test`, has the id of the webhook there.',
        security: [],
        parameters: [
          signed(
            'webhook-id',
            'Names the event; every further try has the same.',
            '01920f3e-8a4c-7d21-9b3f-2c5e8a7d4f10',
          ),
          signed('webhook-timestamp', 'When this try was made, in seconds since 1970.', '1772435130'),
          signed(
            'webhook-signature',
            'One signature, or two with a space between them while a new secret takes over.',
            'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
          ),
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: message,
              example: exampleOf(message),
            },
          },
        },
        responses: {
          '2XX': { description: 'It has arrived; nothing else says so, and redirects are not followed.' },
          410: { description: 'Not wanted any more: the webhook is disabled.' },
          default: {
            description: `Tried again after ${RETRIES.join(', ')} seconds, or when \`Retry-After\` says, if that is later; after the last one the webhook is disabled.`,
          },
        },
      },
    },
  };
}
