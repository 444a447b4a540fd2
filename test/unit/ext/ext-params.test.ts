import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toQuery } from '../../../server/ext/ext-params.ts';
import { parseDocument } from '../../../server/provider/document.ts';

/** A way to declare a list, and how a provider that keeps to the declaration reads it. */
interface Form {
  readonly document: 'openapi' | 'swagger';
  readonly declared: object;
  readonly read: (query: URLSearchParams, name: string) => readonly string[];
}

const repeated: Form['read'] = (query, name) => query.getAll(name);
const joinedBy =
  (separator: string): Form['read'] =>
  (query, name) =>
    query.getAll(name).flatMap((text) => text.split(separator));

const FORMS: readonly Form[] = [
  { document: 'openapi', declared: {}, read: repeated },
  { document: 'openapi', declared: { explode: false }, read: joinedBy(',') },
  { document: 'openapi', declared: { style: 'spaceDelimited' }, read: joinedBy(' ') },
  { document: 'openapi', declared: { style: 'pipeDelimited' }, read: joinedBy('|') },
  { document: 'swagger', declared: {}, read: joinedBy(',') },
  { document: 'swagger', declared: { collectionFormat: 'multi' }, read: repeated },
  { document: 'swagger', declared: { collectionFormat: 'ssv' }, read: joinedBy(' ') },
  { document: 'swagger', declared: { collectionFormat: 'tsv' }, read: joinedBy('\t') },
  { document: 'swagger', declared: { collectionFormat: 'pipes' }, read: joinedBy('|') },
];

function operationWith(forms: readonly Form[], document: Form['document']) {
  const parameters = [
    { name: 'plain', in: 'query' },
    ...forms.map(({ declared }, n) => ({
      ...{ name: `list${n}`, in: 'query' },
      ...(document === 'swagger' ? { type: 'array' } : { schema: { type: 'array' } }),
      ...declared,
    })),
  ];
  const version = document === 'swagger' ? { swagger: '2.0' } : { openapi: '3.1.0' };
  const { operations } = parseDocument({ ...version, paths: { '/a': { get: { parameters } } } }, '');
  return operations[0] ?? expect.unreachable();
}

describe('D30: parameters of a forwarded request', () => {
  it('are read by the provider as they were given, however its document declares each list', () => {
    // Without separators: joined lists cannot hold them. With what has a meaning in a query.
    const value = fc.oneof(fc.stringMatching(/^[a-z0-9&=+%#?é;/]{1,5}$/), fc.integer(), fc.boolean());
    const list = fc.array(value, { maxLength: 4 });
    const given = fc.constantFrom('openapi', 'swagger').chain((document) => {
      const form = fc.constantFrom(...FORMS.filter((one) => one.document === document));
      return fc.record({
        document: fc.constant(document),
        lists: fc.array(fc.tuple(form, list), { maxLength: 4 }),
        plain: fc.option(value),
      });
    });
    fc.assert(
      fc.property(given, ({ document, lists, plain }) => {
        const forms = lists.map(([form]) => form);
        const params = Object.fromEntries(lists.map(([, values], n) => [`list${n}`, values]));
        const operation = operationWith(forms, document);
        const sent = new URLSearchParams(
          toQuery({ ...params, plain }, operation, 'body') as [string, string][],
        );
        const read = new URLSearchParams(sent.toString());
        expect(forms.map((form, n) => form.read(read, `list${n}`))).toEqual(
          lists.map(([, values]) => values.map(String)),
        );
        expect(read.getAll('plain')).toEqual(plain === null ? [] : [String(plain)]);
      }),
    );
  });

  it('a list for a parameter that takes none is joined by commas', () => {
    expect(toQuery({ plain: ['a', 1] }, operationWith([], 'openapi'), 'body')).toEqual([['plain', 'a,1']]);
  });
});
