/** The headers that answers bring. */
import { API_VERSION } from '../version.ts';
import type { OpenApiHeader } from './types.ts';

export const HEADERS = {
  'X-Request-Id': {
    description: 'Names this request in the logs.',
    schema: { type: 'string' },
    example: '0f8b6d0e-4c1a-4f5e-9d3b-2a1c0e9f8d7b',
  },
  'X-Api-Version': {
    description: 'Version of the service that answers.',
    schema: { type: 'string' },
    example: API_VERSION,
  },
  'X-Pages': {
    description: 'How many pages there are; at least 1.',
    schema: { type: 'integer', minimum: 1 },
    example: 3,
  },
  'X-Next': {
    description: 'Value of `after` for the next page; absent on the last one.',
    schema: { type: 'string' },
    example: 'WyJhZGEgdmFsZSIsMjExMjAwMDAwMV0',
  },
  'Castellan-Position': {
    description:
      'The position of an event: what happened until then is in this answer. `GET /event?after=` goes on from there.',
    schema: { type: 'integer', minimum: 0, format: 'int64' },
    example: 48213,
  },
  'Retry-After': {
    description: 'Seconds to wait before the next try.',
    schema: { type: 'integer', minimum: 0 },
    example: 12,
  },
  'RateLimit-Limit': {
    description: 'Requests that the token, or the address without one, may make in a minute.',
    schema: { type: 'integer', minimum: 1 },
    example: 600,
  },
  'RateLimit-Remaining': {
    description: 'How many of them are left.',
    schema: { type: 'integer', minimum: 0 },
    example: 0,
  },
  'RateLimit-Reset': {
    description: 'Seconds until the minute ends.',
    schema: { type: 'integer', minimum: 1 },
    example: 12,
  },
  'RateLimit-Policy': {
    description: 'The limit, and the length of its window in seconds.',
    schema: { type: 'string' },
    example: '600;w=60',
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    schema: { type: 'string' },
    example: 'Bearer',
  },
  Location: {
    description: "The application's callback with `state_code` and `user_token` in its query.",
    schema: { type: 'string', format: 'uri' },
    example: 'https://fleet.example/castellan?state_code=0b7c8f7e-6f5d-4c3b-9a21-0f1e2d3c4b5a&user_token=JWT',
  },
} satisfies Record<string, OpenApiHeader>;

export type HeaderName = keyof typeof HEADERS;

/** Headers of every answer that is counted by the rate limit (D60). */
export const RATE_LIMIT = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
] as const;

export function headers(...names: HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(
    ['X-Request-Id', 'X-Api-Version', ...names].map((name) => [
      name,
      { $ref: `#/components/headers/${name}` },
    ]),
  );
}
