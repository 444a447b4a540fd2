/** The client of the castellan API. */
export type { Answer, CallOptions } from './call.ts';
export { type ClientOptions, createClient } from './client.ts';
export { CastellanError, ok } from './errors.ts';
export type * from './generated/types.ts';
