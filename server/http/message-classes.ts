import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import type { Express } from 'express';

/** The classes of request and response objects that a server creates. */
export interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
  /** Responses whose handlers are still running, whether or not the client is still connected. */
  readonly atWork: ReadonlySet<ServerResponse>;
}

/** A request listener; with `messages` the server creates its requests and responses by these classes. */
export type Listener = RequestListener & { readonly messages?: MessageClasses };

/** Milliseconds after which a handler whose client has disconnected counts as ended. */
const HANDLED_WITHIN = 60_000;

export function createMessageClasses(): MessageClasses {
  const atWork = new Set<ServerResponse>();
  class Request extends IncomingMessage {}
  class Response<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {
    #patience: NodeJS.Timeout | undefined;
    constructor(...args: ConstructorParameters<typeof ServerResponse<R>>) {
      super(...args);
      atWork.add(this);
      this.once('close', () => {
        // If the headers were sent, nothing more can be sent. If not, the handler is still running.
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
 * Sets the prototypes that Express expects once, on the classes. Express would otherwise call `setPrototypeOf` on each
 * request and response, which slows down every later property access: that took half of the service's own time per
 * request.
 */
export function dress(app: Express, messages: MessageClasses): void {
  const { IncomingMessage: Request, ServerResponse: Response } = messages;
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  // Express still calls `setPrototypeOf`, but with the prototype that is set already, which costs nothing.
  Object.assign(app, { request: Request.prototype, response: Response.prototype });
}
