import type { User } from '@castellan/sdk';
import { useSuspenseQuery } from '@tanstack/react-query';
import { queries } from './api.ts';

/** The signed-in user, as the service knows it at present. */
export function useMe(): User {
  return useSuspenseQuery(queries.token.current()).data.owner;
}

/** Whether the user has at least this level. Authority over records is checked by the service. */
export function useLevel(needed: number): boolean {
  return useMe().clearance_level >= needed;
}
