/** Where the provider sends the browser after a sign-in. */
import { extendApi } from '@anatine/zod-openapi';
import { z } from 'zod';
import { c, field } from './common.ts';

const page = c.otherResponse({ contentType: 'text/html', body: z.string() });

/** Text of the query, or nothing where it is missing or repeated: the answer is a page, never a 422. */
const lenient = extendApi(z.string().optional().catch(undefined), { type: 'string' });

export const callbackRoutes = c.router({
  ext: {
    method: 'GET',
    path: '/callback/ext',
    summary: 'End of a sign-in at the provider',
    description:
      "Called by the player's browser, sent here by the provider. On success the browser is redirected to the callback of the application with `state_code` and `user_token` added to its query. Everything else is a page that explains what went wrong, with a link back to the application: parameters missing, sign-in unknown, used or expired, or a code that the provider does not accept (400; after five such codes the sign-in is dead), sign-in cancelled, not allowed to log in (and which group or coalition refuses), or too few scopes granted (403; with character, required and provided scopes and a link that signs in again with all of them), the provider out of order (502). A refused sign-in stores nothing but an event that tells of it, and leaves the state code as it is. Parameters besides these are ignored: the provider may add some.",
    query: z.object({
      code: field(lenient, "The provider's authorization code.", 'q3v9T0bX'),
      state: field(lenient, 'The state code of the sign-in.', '0b7c8f7e-6f5d-4c3b-9a21-0f1e2d3c4b5a'),
      error: field(lenient, "The provider's word for what went wrong.", 'access_denied'),
      error_description: field(lenient, 'The same in a sentence.', 'The player cancelled'),
    }),
    responses: { 302: c.noBody(), 400: page, 403: page, 429: page, 500: page, 502: page, 503: page },
    metadata: { operationId: 'completeSignIn', access: 'public' as const },
  },
});
