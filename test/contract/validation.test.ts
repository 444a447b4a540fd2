import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  contract,
  EXT_SCOPES,
  ExternalForwardQuery,
  ExternalForwardRequest,
  PostAppToken,
  PostGroup,
  PostLogin,
  PutCoalition,
  PutGroup,
  PutUser,
} from '../../contract/index.ts';
import { limitsOf } from '../../contract/json/limits.ts';
import { operations } from '../../contract/openapi.ts';

/** What is wrong with a value: the way to each fault. */
function faults(schema: z.ZodTypeAny, value: unknown): string[] {
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).map(({ path }) => path.join('.'));
}

describe('ids in paths (D3b)', () => {
  const { pathParams } = contract.alliance.get;

  it.each([
    ['1', 1],
    ['99000001', 99_000_001],
    ['9007199254740991', 2 ** 53 - 1],
  ])('%s is one', (alliance_id, number) => {
    expect(pathParams.parse({ alliance_id })).toEqual({ alliance_id: number });
  });

  it.each([
    '0',
    '-1',
    '+5',
    '007',
    '1e3',
    '0x1',
    '1.0',
    ' 5',
    '5 ',
    '5\n',
    '',
    '٣',
    '9007199254740992',
    '1'.repeat(400),
  ])('%j is none', (alliance_id) => {
    expect(faults(pathParams, { alliance_id })).toEqual(['alliance_id']);
  });

  it('0 is one where the built-in user can be meant', () => {
    expect(contract.user.update.pathParams.parse({ character_id: '0' })).toEqual({ character_id: 0 });
    expect(contract.user.delete.pathParams.parse({ character_id: '0' })).toEqual({ character_id: 0 });
    expect(
      faults(contract.corporation.deleteGuest.pathParams, { corporation_id: '1', character_id: '0' }),
    ).toEqual(['character_id']);
  });

  it('object identifiers are 24 hexadecimal digits, read as lower case', () => {
    const { pathParams } = contract.group.get;
    expect(pathParams.parse({ group_id: '66F2A1B3C4D5E6F708192A3B' })).toEqual({
      group_id: '66f2a1b3c4d5e6f708192a3b',
    });
    for (const group_id of ['66f2a1b3c4d5e6f708192a3', `${'a'.repeat(24)}\n`, 'g'.repeat(24)]) {
      expect(faults(pathParams, { group_id })).toEqual(['group_id']);
    }
  });

  it('the uuid of a token to delete is of version 4', () => {
    const { query } = contract.token.delete;
    expect(query.parse({ uuid: '9D1F0C2B-7A3E-4B5C-8D6E-0F1A2B3C4D5E' })).toEqual({
      uuid: '9d1f0c2b-7a3e-4b5c-8d6e-0f1a2b3c4d5e',
    });
    for (const uuid of [
      '9d1f0c2b-7a3e-1b5c-8d6e-0f1a2b3c4d5e',
      '9d1f0c2b-7a3e-4b5c-7d6e-0f1a2b3c4d5e',
      '',
      undefined,
    ]) {
      expect(faults(query, { uuid })).toEqual(['uuid']);
    }
  });
});

describe('text (D3b)', () => {
  it('is counted in code points', () => {
    expect(faults(PostGroup, { group_name: '😀'.repeat(100) })).toEqual([]);
    expect(faults(PostGroup, { group_name: '😀'.repeat(101) })).toEqual(['group_name']);
    expect(faults(PostGroup, { group_name: '' })).toEqual(['group_name']);
    expect(faults(PostGroup, { group_name: 'x', description: 'x'.repeat(4001) })).toEqual(['description']);
  });

  it.each(['a\0b', '\ud800', 'a\udc00b', '\udc00\ud800'])('%j fails in body and path', (value) => {
    expect(faults(PostGroup, { group_name: value })).toEqual(['group_name']);
    expect(faults(PutGroup, { add_members: ['fine', value] })).toEqual(['add_members.1']);
    expect(faults(contract.user.get.pathParams, { character_name: value })).toEqual(['character_name']);
    expect(faults(ExternalForwardRequest, { params: { key: value } })).toEqual(['params.key']);
  });
});

describe('the target of GET /audit (D94)', () => {
  it('is type:id, without U+0000', () => {
    const { query } = contract.audit.list;
    for (const target of ['user:1', 'job:a:b', 'held_change:two\nlines']) {
      expect(faults(query, { target })).toEqual([]);
    }
    for (const target of [
      '',
      'user',
      'user:',
      ':1',
      'User:1',
      'user:\0',
      'user:1\0',
      `user:${'1'.repeat(200)}`,
    ]) {
      expect(faults(query, { target })).toEqual(['target']);
    }
  });
});

describe('bodies (D3)', () => {
  it('refuse unknown fields', () => {
    for (const body of [PutGroup, PutCoalition, PutUser, PostLogin, ExternalForwardRequest]) {
      expect(body.safeParse({ surprise: 1 }).error?.issues[0]?.code).toBe('unrecognized_keys');
    }
  });

  it('take null for absent, and an empty list for a list', () => {
    expect(
      faults(PutGroup, { members: null, add_members: [], owner: null, authorized_to_login: null }),
    ).toEqual([]);
    expect(PostGroup.parse({ group_name: 'x', description: null }).description).toBe('');
    expect(PostLogin.parse({ scopes: null })).toEqual({ scopes: ['publicData'] });
    expect(PostLogin.parse({ scopes: [] }).scopes).toEqual([]);
  });

  it('may be left out where everything in them may', () => {
    expect(contract.group.update.body.parse(undefined)).toEqual({});
    expect(contract.ext.forward.body.parse(undefined)).toEqual({
      all_pages: false,
      id_annotations: false,
      params: {},
    });
    expect(contract.token.startLogin.body.parse(undefined)).toEqual({ scopes: ['publicData'] });
  });

  it('take real booleans and whole numbers only', () => {
    expect(faults(PutGroup, { authorized_to_login: 'true' })).toEqual(['authorized_to_login']);
    expect(faults(PutUser, { clearance_level: '3' })).toEqual(['clearance_level']);
    for (const clearance_level of [-1, 11, 1.5, Number.NaN]) {
      expect(faults(PutUser, { clearance_level })).toEqual(['clearance_level']);
    }
  });

  it('set a limit to every list in them (D3b)', () => {
    const bodies = operations().flatMap(({ route }) =>
      'body' in route && route.body instanceof z.ZodType ? [route.body] : [],
    );
    expect(bodies.length).toBeGreaterThan(9);
    for (const body of bodies) expect(() => limitsOf(body)).not.toThrow();
  });

  it('hold at most 10,000 elements in a list', () => {
    expect(faults(PutCoalition, { member_alliances: Array(10_000).fill(1) })).toEqual([]);
    expect(faults(PutCoalition, { member_alliances: Array(10_001).fill(1) })).toEqual(['member_alliances']);
  });

  it.each([
    [PutCoalition, 'member_alliances', 1],
    [PutCoalition, 'member_corporations', 1],
    [PutGroup, 'members', 'Ada Vale'],
  ] as const)('refuse a full list beside additions or removals, naming both (case %#)', (body, full, one) => {
    for (const change of [`add_${full}`, `remove_${full}`]) {
      const { error } = (body as z.ZodTypeAny).safeParse({ [full]: [one], [change]: [] });
      expect(error?.issues).toMatchObject([{ path: [full] }]);
      expect(error?.issues[0]?.message).toContain(`${full} replaces`);
      expect(error?.issues[0]?.message).toContain(`combined with ${change}:`);
      expect(faults(body, { [full]: null, [change]: [one] })).toEqual([]);
      expect(faults(body, { [full]: [one], [change]: null })).toEqual([]);
    }
    expect(faults(body, { [`add_${full}`]: [one], [`remove_${full}`]: [one] })).toEqual([]);
  });
});

describe('callbacks', () => {
  it.each(['https://fleet.example', 'http://localhost:3000/cb?x=1', 'HTTPS://FLEET.EXAMPLE/a%20b'])(
    '%s is one',
    (callback) => {
      expect(faults(PostAppToken, { callback })).toEqual([]);
    },
  );

  it.each([
    ...['', '/cb', 'ftp://fleet.example', 'javascript:alert(1)', 'https://', 'https:fleet.example'],
    ...['https://ada@fleet.example', 'https://ada:pw@fleet.example', 'https://fleet.example/#a'],
    ...[
      'https://fleet.example/#',
      ' https://fleet.example',
      'https://fleet.example/a b',
      'https://fleet\n.example',
    ],
    `https://fleet.example/${'a'.repeat(2000)}`,
  ])('%j is none', (callback) => {
    expect(faults(PostAppToken, { callback })).toEqual(['callback']);
  });
});

describe('query and headers', () => {
  it('the page is a positive whole number, 1 where absent', () => {
    const { headers } = contract.history.mails;
    expect(headers.parse({})).toEqual({ page: 1 });
    expect(headers.parse({ page: '2147483647' })).toEqual({ page: 2147483647 });
    expect(headers.parse({ page: '9'.repeat(400) })).toEqual({ page: 2147483647 });
    for (const page of ['0', '-1', '01', '1.5', 'x', '']) {
      expect(faults(headers, { page })).toEqual(['page']);
    }
  });

  it('D3b: flags are true or false in any case, or 1 or 0, nothing like it', () => {
    const { query } = contract.system.runJob;
    expect(query.parse({ force: 'true' })).toEqual({ force: true, dry_run: false });
    expect(query.parse({ force: 'False', dry_run: 'True' })).toEqual({ force: false, dry_run: true });
    expect(query.parse({ force: 'FALSE', dry_run: 'TRUE' })).toEqual({ force: false, dry_run: true });
    expect(query.parse({ force: '0', dry_run: '1' })).toEqual({ force: false, dry_run: true });
    expect(faults(query, { force: ['1'], dry_run: ['true', 'true'] })).toEqual(['force', 'dry_run']);
    expect(faults(query, { force: '', dry_run: ' true' })).toEqual(['force', 'dry_run']);
    expect(faults(query, { force: '2', dry_run: '01' })).toEqual(['force', 'dry_run']);
    expect(faults(query, { force: 'yes', dry_run: 'constructor' })).toEqual(['force', 'dry_run']);
  });

  it('a forwarded request is read from a query, too', () => {
    const params = '{"language":"en","page":[1,2]}';
    const query = { all_pages: 'True', id_annotations: 'TRUE', on_behalf_of: '7', params };
    expect(ExternalForwardQuery.parse(query)).toEqual({
      all_pages: true,
      id_annotations: true,
      on_behalf_of: 7,
      params: { language: 'en', page: [1, 2] },
    });
    for (const params of ['', '[1]', '{', '{"a":{"b":1}}']) {
      expect(faults(ExternalForwardQuery, { params })[0]).toMatch(/^params/);
    }
    expect(ExternalForwardQuery.parse({ params: 'null' }).params).toEqual({});
  });

  it('the provider callback takes whatever comes, for its answer is a page', () => {
    expect(contract.callback.ext.query.parse({ code: ['a', 'b'], state: 's', more: '1' })).toEqual({
      state: 's',
    });
  });
});

describe('scopes (D37)', () => {
  it('are sorted, unique, and in our form', () => {
    expect([...EXT_SCOPES]).toEqual([...new Set(EXT_SCOPES)].sort());
    expect(EXT_SCOPES).toEqual(
      expect.arrayContaining(['publicData', 'ext-mail.read_mail.v1', 'ext-location.read_location.v1']),
    );
    expect(EXT_SCOPES.filter((scope) => scope.startsWith('esi-'))).toEqual([]);
  });

  it('a wrong one is refused in few words', () => {
    const { error } = PostLogin.safeParse({ scopes: ['publicData', 'ext-nothing.v1'] });
    expect(error?.issues).toMatchObject([{ path: ['scopes', 1], message: 'Unknown scope "ext-nothing.v1"' }]);
  });
});
