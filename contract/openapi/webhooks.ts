/** The requests that the service makes by itself, each by its name: whatever is sent to others is described here. */
import type { OpenApiPath } from './types.ts';

export const WEBHOOKS: Readonly<Record<string, OpenApiPath>> = {
  signIn: {
    get: {
      tags: ['callback'],
      operationId: 'onSignIn',
      summary: 'Somebody signed in',
      description:
        "Sent to the callback of the application that began a sign-in, besides the redirect of the player's browser, so that a sign-in is known of whose browser got lost. Repeated until it is answered with a status below 400, or with another 4xx than 408 and 429, at the longest while the token lives: the same event can come twice. Redirects are not followed. Whoever began the sign-in is not proven to be who calls, so no session may be opened for it alone.",
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
};
