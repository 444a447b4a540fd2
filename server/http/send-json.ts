import type { Response } from 'express';
import type { JsonBytes, JsonText } from '../database/json-text.ts';
import { consistsOf } from './slow-readers.ts';
import { writtenAs } from './written-body.ts';

/**
 * Sends a body that is JSON already. It is written in one piece, so that {@link watchReaders} sees all of it in the
 * socket's buffer; bytes are sent as they are, without a copy for each answer.
 */
export function written<Value>(res: Response, json: JsonText<Value> | JsonBytes<Value>): Value {
  if (typeof json !== 'string') consistsOf(res, json);
  return writtenAs(res, 'application/json; charset=utf-8', json);
}
