import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Operation } from '../../../dev/provider/operation.ts';
import { OPERATIONS } from '../../../dev/provider/operations.ts';
import { FIRST_ALLIANCE_ID, FIRST_CHARACTER_ID, FIRST_CORPORATION_ID } from '../../../dev/world/world.ts';
import { bearer, get, useProvider } from './client.ts';

/** The provider's own document, if it is available; it is not part of the project. */
const OWN = join(import.meta.dirname, '../../../../shared/provider/esi-openapi.json');

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}
interface Described {
  readonly parameters?: readonly { readonly name?: string; readonly in?: string }[];
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly 'x-rate-limit'?: { readonly group: string; readonly 'max-tokens': number };
  readonly 'x-cache-age'?: number;
  readonly responses: Readonly<
    Record<
      string,
      { readonly headers?: object; readonly content?: Record<string, { readonly schema: Schema }> }
    >
  >;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const document = existsSync(OWN) ? (JSON.parse(readFileSync(OWN, 'utf8')) as Document) : undefined;
const simulated = useProvider();

function described({ path, method }: Operation): Described {
  const found = document?.paths[path]?.[method.toLowerCase()];
  if (found === undefined) throw new Error(`the provider has no ${method} ${path}`);
  return found;
}

/** The contradictions to a schema: a wrong type, an unlisted value, a missing or undescribed field. */
function misfits(value: unknown, schema: Schema, at = '$'): string[] {
  const { $ref, type, enum: listed, items = {}, properties = {}, required = [] } = schema;
  if ($ref !== undefined)
    return misfits(value, document?.components.schemas[$ref.split('/').at(-1) ?? ''] as Schema, at);
  if (listed !== undefined && !listed.includes(value)) return [`${at}: ${String(value)} is not listed`];
  if (Array.isArray(value)) {
    if (type !== 'array') return [`${at}: a list`];
    return value.flatMap((one, n) => misfits(one, items, `${at}[${n}]`));
  }
  if (typeof value === 'object' && value !== null) {
    if (type !== 'object') return [`${at}: an object`];
    return [
      ...required.filter((name) => !(name in value)).map((name) => `${at}.${name} is missing`),
      ...Object.entries(value).flatMap(([name, field]) => {
        const own = properties[name];
        return own === undefined ? [`${at}.${name} is not described`] : misfits(field, own, `${at}.${name}`);
      }),
    ];
  }
  const fits = type === 'integer' ? Number.isInteger(value) : typeof value === type;
  return fits ? [] : [`${at}: ${String(value)} is no ${type}`];
}

describe.skipIf(document === undefined)('compared with the provider’s own document', () => {
  it.each(OPERATIONS)('$method $path is described alike', (operation) => {
    const { scope, rateGroup, paged, cached, query = {} } = operation;
    const own = described(operation);
    expect(own.security?.[0]?.['OAuth2']?.[0]).toBe(scope === undefined ? undefined : `esi-${scope}`);
    expect(own['x-rate-limit']?.group).toBe(rateGroup?.group);
    expect(own['x-rate-limit']?.['max-tokens']).toBe(rateGroup?.maxTokens);
    if (typeof cached === 'number') expect(own['x-cache-age']).toBe(cached);
    expect('X-Pages' in (own.responses['200']?.headers ?? {})).toBe(paged === true);
    const names = (own.parameters ?? []).flatMap((one) => (one.in === 'query' ? [one.name as string] : []));
    expect(names).toEqual(expect.arrayContaining([...Object.keys(query), ...(paged ? ['page'] : [])]));
  });

  it.each(OPERATIONS.filter(({ method }) => method === 'GET'))('$path answers alike', async (operation) => {
    const { provider } = simulated;
    const somebody = FIRST_CHARACTER_ID;
    const scopes = OPERATIONS.flatMap(({ scope }) => (scope === undefined ? [] : [`esi-${scope}`]));
    const headers = {
      ...(await bearer(provider, somebody, ...new Set(scopes))),
      'x-compatibility-date': '2026-08-04',
    };
    const first = async (path: string, key: string) =>
      ((await (await get(provider, path, headers)).json()) as Record<string, number>[])[0]?.[key] ?? 0;
    const own = `/characters/${somebody}`;
    const ids: Readonly<Record<string, number>> = {
      character_id: somebody,
      corporation_id: FIRST_CORPORATION_ID,
      alliance_id: FIRST_ALLIANCE_ID,
      contract_id: await first(`${own}/contracts`, 'contract_id'),
      mail_id: await first(`${own}/mail`, 'mail_id'),
      structure_id: 1_030_000_000_001,
      type_id: 600,
      system_id: 30_000_001,
      station_id: 60_000_001,
      region_id: 10_000_001,
    };
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name]));
    const answer = await get(provider, path, headers);
    expect(answer.status).toBe(200);
    const schema = described(operation).responses['200']?.content?.['application/json']?.schema as Schema;
    expect([
      ...new Set(misfits(await answer.json(), schema).map((one) => one.replace(/\[\d+\]/g, '[]'))),
    ]).toEqual([]);
  });
});
