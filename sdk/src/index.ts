/** The client of the castellan API. */
export type { Answer, CallOptions, Success } from './call.ts';
export { type Castellan, type ClientOptions, createCastellan, createClient } from './client.ts';
export { CastellanError, ok } from './errors.ts';
export type * from './generated/types.ts';
export { paginate } from './pages.ts';
