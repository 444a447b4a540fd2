import { describe, expect, expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import { Event as Contracted } from '../../contract/event.ts';
import { PostGroup } from '../../contract/group.ts';
import { exampleOf, schemaOf } from '../../contract/openapi/schema.ts';
import { EXT_SCOPES } from '../../contract/scopes.ts';
import { Token as ContractedToken } from '../../contract/token.ts';
import { PostWebhook } from '../../contract/webhook.ts';
import type { Event, Problem, PutCoalition, Target, Token, User } from '../../sdk/src/index.ts';
import * as schemas from '../../sdk/src/zod.ts';

const webhook = { url: 'https://bot.example/', types: ['*'] };
const event = exampleOf(schemaOf(Contracted)) as Event;
const page = (type: unknown) => ({ events: [event, { ...event, type }], cursor: '2', more: false });

describe('D91: the schemas of the SDK', () => {
  it('let through a page with an event of a type of a later release', () => {
    const later = page('fleet.formed');
    expect(schemas.EventPage.parse(later)).toEqual(later);
    expect(schemas.EventPage.safeParse(page(7)).success).toBe(false);
  });

  it('let through an event about a kind of record of a later release', () => {
    const later = { ...event, type: 'fleet.formed', targets: [{ type: 'fleet', id: '7', name: null }] };
    expect(schemas.Event.parse(later)).toEqual(later);
    expect(schemas.Event.safeParse({ ...later, targets: [{ type: 7, id: '7', name: null }] }).success).toBe(
      false,
    );
  });

  it('let through an error with a code of a later release (D73)', () => {
    const later = { detail: 'The fleet is full.', code: 'fleet_full' };
    expect(schemas.Problem.parse(later)).toEqual(later);
    expect(schemas.Problem.safeParse({ ...later, code: null }).success).toBe(false);
  });

  it('D37: let through a token whose owner has a scope of a later release', () => {
    const { owner, ...token } = exampleOf(schemaOf(ContractedToken)) as Token;
    const granted = (scope: unknown) => ({ ...token, owner: { ...owner, available_ext_scopes: [scope] } });
    const later = granted('ext-fleets.form_fleet.v1');
    expect(schemas.Token.parse(later)).toEqual(later);
    expect(schemas.Token.safeParse(granted(7)).success).toBe(false);
  });

  it('keep the types of the SDK', () => {
    expectTypeOf<z.infer<typeof schemas.Event>['type']>().toEqualTypeOf<Event['type']>();
    expectTypeOf<z.infer<typeof schemas.Target>['type']>().toEqualTypeOf<Target['type']>();
    expectTypeOf<z.infer<typeof schemas.Problem>['code']>().toEqualTypeOf<Problem['code']>();
    type Scopes = 'available_ext_scopes' | 'cumulated_mandatory_ext_scopes';
    expectTypeOf<Pick<z.infer<typeof schemas.User>, Scopes>>().toEqualTypeOf<Pick<User, Scopes>>();
    type Sent = PutCoalition['mandatory_ext_scopes'];
    expectTypeOf<z.input<typeof schemas.PutCoalition>['mandatory_ext_scopes']>().toEqualTypeOf<Sent>();
    expect(schemas.ExtScope.options).toEqual(EXT_SCOPES);
  });

  it.each([
    [
      'as many characters as a name may have',
      PostGroup,
      schemas.PostGroup,
      { group_name: '🚀'.repeat(100) },
      true,
    ],
    ['one more', PostGroup, schemas.PostGroup, { group_name: '🚀'.repeat(101) }, false],
    ['a name of several lines', PostGroup, schemas.PostGroup, { group_name: 'a\nb\n' }, true],
    ['an empty name', PostGroup, schemas.PostGroup, { group_name: '' }, false],
    ['an empty list where one is needed', PostWebhook, schemas.PostWebhook, { ...webhook, types: [] }, false],
    ['a list of one', PostWebhook, schemas.PostWebhook, webhook, true],
  ])('D3b: judge lengths as the service does: %s', (_, contracted, schema, body, accepted) => {
    expect(contracted.safeParse(body).success).toBe(accepted);
    expect(schema.safeParse(body).success).toBe(accepted);
  });

  it('refuse in requests what the service does not know', () => {
    expect(schemas.PutCoalition.safeParse({ mandatory_ext_scopes: ['mail'] }).success).toBe(false);
    expect(schemas.PostLogin.safeParse({ scopes: ['mail'] }).success).toBe(false);
  });
});
