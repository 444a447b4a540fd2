import { IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Express } from 'express';
import type { NoteRefusal } from './refusal-log.ts';
import { type BodyFault, SmallPieces } from './small-pieces.ts';

/** The classes of request and response objects that a server creates. */
export interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
  /** Responses whose handlers are still running, whether or not the client is still connected. */
  readonly atWork: ReadonlySet<ServerResponse>;
}

/**
 * A request listener; with `messages` the server creates its requests and responses by these classes. `unreadHeaders`
 * are lines of the server's answers to what no listener gets, and `noteRefusal` is told of each of these.
 */
export type Listener = RequestListener & {
  readonly messages?: MessageClasses;
  readonly unreadHeaders?: readonly string[];
  readonly noteRefusal?: NoteRefusal | undefined;
};

/** Milliseconds after which a handler whose client has disconnected counts as ended. */
const HANDLED_WITHIN = 60_000;

export function createMessageClasses(): MessageClasses {
  const atWork = new Set<ServerResponse>();
  class Request extends IncomingMessage {
    #pieces: SmallPieces | undefined;
    #isRefused = false;
    /** Called by Node with each piece of the body, and with null at its end. */
    override push(piece: Buffer | null): boolean {
      if (this.#isRefused) return false;
      if (piece === null) {
        this.#passOn(this.#pieces?.rest() ?? []);
        return super.push(null);
      }
      this.#pieces ??= new SmallPieces();
      const passed = this.#pieces.add(piece);
      return typeof passed === 'string' ? this.#refuse(passed) : this.#passOn(passed);
    }
    /** As Node does with what it cannot read. */
    #refuse(code: BodyFault): false {
      this.#isRefused = true;
      const { socket } = this as { socket: Socket & { readonly server?: Server } };
      socket.server?.emit('clientError', Object.assign(new Error(code), { code }), socket);
      socket.destroySoon();
      return false;
    }
    /** False when no more is wanted for now. */
    #passOn(pieces: readonly Buffer[]): boolean {
      let wantsMore = true;
      for (const piece of pieces) wantsMore = super.push(piece);
      return wantsMore;
    }
  }
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
