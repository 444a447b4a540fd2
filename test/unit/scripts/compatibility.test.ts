import { describe, expect, it } from 'vitest';
import { type OpenApiDocument, openApiDocument } from '../../../contract/openapi.ts';
import { breakingChanges } from '../../../scripts/check-compatibility/breaking.ts';

const before = structuredClone(openApiDocument());

function found(change: (document: OpenApiDocument) => void): string[] {
  const changed = structuredClone(before);
  change(changed);
  return breakingChanges(before, changed);
}

describe('changes that break clients of the released document', () => {
  it.each<[string, (document: OpenApiDocument) => void, string]>([
    ['an operation less', ({ paths }) => delete paths['/group']?.get, 'GET /group is gone'],
    [
      'a field that must be sent',
      ({ components: { schemas } }) => schemas.PostGroup?.required?.push('description'),
      'PostGroup.description must be sent now',
    ],
    [
      'a field that is answered no more',
      ({ components: { schemas } }) => delete schemas.Group?.properties?.owner,
      'Group.owner is gone',
    ],
    [
      'a field that may be missing',
      ({ components: { schemas } }) => schemas.Group?.required?.shift(),
      'Group.authorized_to_login may be missing now',
    ],
    [
      'a type that clients do not expect',
      ({ components: { schemas } }) =>
        Object.assign(schemas.Group?.properties?.created_on ?? {}, { type: 'integer' }),
      'Group.created_on is of another type now: integer',
    ],
    [
      'a value that clients do not expect',
      ({ components: { schemas } }) => schemas.Application?.properties?.state?.enum?.push('lost'),
      'Application.state has other values now: lost',
    ],
    [
      'a parameter that is needed',
      ({ paths }) =>
        Object.assign(paths['/group']?.get ?? {}, {
          parameters: [{ name: 'search', in: 'query', required: true, schema: {} }],
        }),
      'GET /group needs search now',
    ],
    [
      'a limit that is lower',
      ({ components: { schemas } }) =>
        Object.assign(schemas.PostGroup?.properties?.group_name ?? {}, { maxLength: 10 }),
      'PostGroup.group_name has a lower maxLength now',
    ],
  ])('%s', (_, change, told) => {
    expect(found(change)).toEqual([told]);
  });

  it('D73: does not report additions', () => {
    expect(found(() => undefined)).toEqual([]);
    const added = found(({ paths, components: { schemas } }) => {
      paths['/new'] = structuredClone(before.paths['/group'] ?? {});
      Object.assign(schemas.Group?.properties ?? {}, { colour: { type: 'string' } });
      schemas.Group?.required?.push('colour');
      schemas.ErrorCode?.enum?.push('colour_unknown');
      schemas.ExtScope?.enum?.push('ext-fleets.form_fleet.v1');
      Object.assign(schemas.PutGroup?.properties ?? {}, { colour: { type: 'string' } });
    });
    expect(added).toEqual([]);
  });
});
