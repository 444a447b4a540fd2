import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import type { Express } from 'express';

/** Classes that a server makes its requests and responses of. */
export interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
  /** Responses whose handlers are at work, whether or not anybody waits for them any more. */
  readonly atWork: ReadonlySet<ServerResponse>;
}

/** What handles requests; `messages` where they are to be of certain classes. */
export type Listener = RequestListener & { readonly messages?: MessageClasses };

/** Milliseconds after which a handler whose client went away counts as ended, whatever became of it. */
const HANDLED_WITHIN = 60_000;

export function createMessages(): MessageClasses {
  const atWork = new Set<ServerResponse>();
  class Request extends IncomingMessage {}
  class Response<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {
    #patience: NodeJS.Timeout | undefined;
    constructor(...args: ConstructorParameters<typeof ServerResponse<R>>) {
      super(...args);
      atWork.add(this);
      this.once('close', () => {
        // An answer that was cut off goes no further. One that has not begun is still being worked on.
        if (this.headersSent) atWork.delete(this);
        else this.#patience = setTimeout(() => atWork.delete(this), HANDLED_WITHIN).unref();
      });
    }
    override end(...args: unknown[]): this {
      clearTimeout(this.#patience);
      atWork.delete(this);
      return super.end(...(args as []));
    }
  }
  return { IncomingMessage: Request, ServerResponse: Response, atWork };
}

/**
 * Gives the classes the prototypes that Express wants. It would give them to each request and response by
 * `setPrototypeOf`, which makes every later access slow: half of the service's own time on a request.
 */
export function dress(app: Express, messages: MessageClasses): void {
  const { IncomingMessage: Request, ServerResponse: Response } = messages;
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  // Now Express sets the prototype that is set already, which costs nothing.
  Object.assign(app, { request: Request.prototype, response: Response.prototype });
}
