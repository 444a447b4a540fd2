import type { Response } from 'express';
import { DomainError } from '../shared/domain-error.ts';

/** A signal that is aborted when the client's connection closes. */
export function goneWith(res: Response): AbortSignal {
  const gone = new AbortController();
  const abort = () => gone.abort(new DomainError('forwarding_busy', 'The client went away.'));
  if (res.closed) abort();
  else res.once('close', abort);
  return gone.signal;
}
