import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import type { Express } from 'express';

/** Classes that a server makes its requests and responses of. */
export interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/** What handles requests; `messages` where they are to be of certain classes. */
export type Listener = RequestListener & { readonly messages?: MessageClasses };

/**
 * Classes whose instances are born with the prototypes that Express wants. It would give them to each request and
 * response by `setPrototypeOf`, which makes every later access slow: half of the service's own time on a request.
 */
export function messagesOf(app: Express): MessageClasses {
  class Request extends IncomingMessage {}
  class Response<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {}
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  // Now Express sets the prototype that is set already, which costs nothing.
  Object.assign(app, { request: Request.prototype, response: Response.prototype });
  return { IncomingMessage: Request, ServerResponse: Response };
}
