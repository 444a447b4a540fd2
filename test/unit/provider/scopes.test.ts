import { describe, expect, it } from 'vitest';
import { EXT_SCOPES } from '../../../contract/scopes.ts';
import { fromProviderScopes, toProviderScope } from '../../../server/provider/scopes.ts';

describe('D37: scopes in the service’s spelling and in the provider’s', () => {
  it.each(['esi-', 'game-', ''])(
    'every scope is the same after conversion to the provider’s spelling and back, prefix "%s"',
    (prefix) => {
      const there = EXT_SCOPES.map((scope) => toProviderScope(scope, prefix));
      expect(there.filter((scope) => scope.startsWith('ext-'))).toEqual([]);
      const { scopes, unknown } = fromProviderScopes(there, prefix);
      expect(unknown).toEqual([]);
      expect(scopes).toEqual([...EXT_SCOPES].sort());
    },
  );

  it('the public-data scope is the same on both sides', () => {
    expect(toProviderScope('publicData', 'esi-')).toBe('publicData');
  });

  it('D34b: the result is sorted and distinct, with unknown ones apart', () => {
    expect(
      fromProviderScopes(
        [
          'publicData',
          'esi-skills.read_skills.v1',
          'esi-mail.read_mail.v1',
          'publicData',
          'esi-new.thing.v1',
          'other',
        ],
        'esi-',
      ),
    ).toEqual({
      scopes: ['ext-mail.read_mail.v1', 'ext-skills.read_skills.v1', 'publicData'],
      unknown: ['ext-new.thing.v1', 'other'],
    });
  });

  it('a scope in the service’s spelling is unknown as one of the provider', () => {
    expect(fromProviderScopes(['ext-mail.read_mail.v1x'], 'esi-').scopes).toEqual([]);
  });
});
