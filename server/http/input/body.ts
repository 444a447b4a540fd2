import { type RequestHandler, raw } from 'express';
import type { z } from 'zod';
import { limitsOf } from '../../../contract/json/limits.ts';
import { readJson } from '../../../contract/json/read.ts';
import type { InvalidField } from '../../shared/errors.ts';
import { HttpError } from '../http-error.ts';

/**
 * Reads a JSON body for an operation, whatever its content type says: at most that many bytes once unpacked (D3b),
 * UTF-8 without a fault, and of bounded size in every other respect before a schema looks at it (D3c).
 */
export function readBody(schema: z.ZodTypeAny, mostBytes: number): RequestHandler[] {
  const limits = limitsOf(schema);
  const read: RequestHandler = (req, _res, next) => {
    const bytes: unknown = req.body;
    // No body at all, or an empty one, is as good as one without a field.
    if (!Buffer.isBuffer(bytes) || bytes.length === 0) {
      req.body = {};
      return next();
    }
    const text = decoded(bytes);
    if (text === undefined) return next(refused([], 'Must be valid UTF-8', 'utf8_invalid'));
    const json = readJson(text, limits);
    if ('fault' in json) return next(refused(json.fault.loc, json.fault.msg, json.fault.type));
    req.body = json.value;
    next();
  };
  return [raw({ limit: mostBytes, type: () => true }), read];
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Without a byte order mark, which some clients send; undefined where the bytes are no UTF-8. */
function decoded(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

function refused(loc: InvalidField['loc'], msg: string, type: string): HttpError {
  return new HttpError('invalid_request', [{ loc: ['body', ...loc], msg, type }]);
}
