/** The schemas of what the service takes and gives, for Zod 3.25 and 4. */
export * from './generated/zod.ts';
