import type { Event, ExtScope, Group, PutGroup, User } from '@castellan/sdk';
import * as schemas from '@castellan/sdk/zod';
import { z } from 'zod';

/** True only for the same type twice: `any` is the same as no other. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

export const same: [
  Same<z.infer<typeof schemas.ExtScope>, ExtScope>,
  Same<z.infer<typeof schemas.Group>['members'], Group['members']>,
  Same<z.infer<typeof schemas.Event>['type'], Event['type']>,
  Same<z.infer<typeof schemas.User>['available_ext_scopes'], User['available_ext_scopes']>,
  Same<z.input<typeof schemas.PutGroup>['owner'], PutGroup['owner']>,
] = [true, true, true, true, true];

export const event: Event = schemas.Event.parse(undefined);
export const group: Group = schemas.Group.parse(undefined);
export const put: PutGroup = schemas.PutGroup.parse(undefined);
/** What the schemas are made of can be used, too. */
export const named: { group_name: string; tag: string } = schemas.Group.pick({ group_name: true })
  .extend({ tag: z.string() })
  .parse(undefined);
export const owner: Group['owner'] = schemas.Group.shape.owner.parse(null);
export const scopes: readonly ExtScope[] = schemas.ExtScope.options;
