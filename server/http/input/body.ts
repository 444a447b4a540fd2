import { type RequestHandler, raw } from 'express';
import type { z } from 'zod';
import { limitsOf } from '../../../contract/json/limits.ts';
import { readJson } from '../../../contract/json/read.ts';
import type { InvalidField } from '../../shared/domain-error.ts';
import { HttpError } from '../http-error.ts';
import { bodyTooLarge } from './express-problem.ts';

/**
 * Middleware that reads a JSON body, whatever its content type: at most `mostBytes` after decompression (D3b), valid
 * UTF-8, and within the limits of D3c before the schema validates it. Where every field may be left out, null means an
 * absent body (D3).
 */
export function readBody(schema: z.ZodTypeAny, mostBytes: number): RequestHandler[] {
  const limits = limitsOf(schema);
  const isOptional = schema.safeParse({}).success;
  // Express would answer at the end of the body, and the connection closes before that (D3c).
  const judgeLength: RequestHandler = ({ headers }, _res, next) => {
    const { 'content-encoding': encoding = 'identity', 'content-length': length = 0 } = headers;
    next(encoding === 'identity' && Number(length) > mostBytes ? bodyTooLarge(mostBytes) : undefined);
  };
  const inflate = raw({ limit: mostBytes, type: () => true });
  // Clients set an encoding for all requests of theirs; where there is nothing to decode, it says nothing.
  const readBytes: RequestHandler = (req, res, next) =>
    Number(req.headers['content-length']) === 0 ? next() : inflate(req, res, next);
  const read: RequestHandler = (req, _res, next) => {
    const bytes: unknown = req.body;
    // No body or an empty one counts as an object without fields.
    if (!Buffer.isBuffer(bytes) || bytes.length === 0) {
      req.body = {};
      return next();
    }
    const text = decoded(bytes);
    if (text === undefined) return next(refused([], 'Must be valid UTF-8', 'utf8_invalid'));
    const json = readJson(text, limits);
    if ('fault' in json) return next(refused(json.fault.loc, json.fault.msg, json.fault.type));
    req.body = json.value === null && isOptional ? {} : json.value;
    next();
  };
  return [judgeLength, readBytes, read];
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Decodes UTF-8 and removes a byte order mark, which some clients send; undefined when the bytes are not valid UTF-8.
 */
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
