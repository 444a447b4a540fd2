import type { Scene } from './scene.ts';

/** Something that users do, of one request or of several. */
export interface Act {
  readonly name: string;
  /** How often in a second. */
  readonly rate: number;
  /** Whether it needs the world outside, and so may fail with it. */
  readonly outside?: boolean;
  /** Throws where the service does not do what it is asked for. */
  readonly run: (scene: Scene) => Promise<unknown>;
}

/** The HTTP status that an error is about: of the SDK, of a client of OpenID Connect, or of a page. */
export function statusOf(error: unknown): number | undefined {
  const { status, cause } = error as { readonly status?: unknown; readonly cause?: { status?: unknown } };
  if (typeof status === 'number') return status;
  return typeof cause?.status === 'number' ? cause.status : undefined;
}

/** A page or an answer with another status than it should have. */
export class OtherStatus extends Error {
  readonly status: number;
  constructor(status: number, text: string) {
    super(text.replace(/\s+/g, ' ').slice(0, 200));
    this.status = status;
  }
}

/** Does what has to be refused. */
export async function refused(status: number, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (statusOf(error) === status) return;
    throw error;
  }
  throw new Error(`was not refused with ${status}`);
}

/** Does what may be refused; returns whether it was done. */
export async function unlessRefused(status: number, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (statusOf(error) === status) return false;
    throw error;
  }
}
