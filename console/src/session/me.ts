import type { User } from '@castellan/sdk';
import { useSuspenseQuery } from '@tanstack/react-query';
import { queries } from './api.ts';

/** Who is signed in, as the service knows him at this moment. */
export function useMe(): User {
  return useSuspenseQuery(queries.token.current()).data.owner;
}

/** Whether one's own level is enough for what needs this one; authority is judged by the service. */
export function useLevel(needed: number): boolean {
  return useMe().clearance_level >= needed;
}
