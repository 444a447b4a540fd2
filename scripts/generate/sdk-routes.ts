/**
 * Generates the SDK's table of routes: method and path of each operation, without schemas, in a compact but readable
 * form.
 */
import { type AppRoute, isAppRouteOtherResponse } from '@ts-rest/core';
import { z } from 'zod';
import { type Operation, operations } from '../../contract/openapi.ts';
import { grouped } from './grouped.ts';
import { literal } from './typescript.ts';

const HEAD = `// Written by \`npm run generate\` from the contract; changes here are lost.

/**
 * What the client must know of each operation to call it: for each resource the path that its operations have in
 * common, then for each operation its name, its method (\`+\` POST, \`=\` PUT, \`-\` DELETE, else GET), the rest of its
 * path, and marks. \`:\` stands for the path parameter that bears the resource's name and \`_id\`, \`:name\` for another
 * one, \`:name*\` for one that may hold slashes. Marks: \`?\` can be tried beforehand, \`.\` its success holds nothing,
 * \`!\` is called without a token, and its redirect handed back. Read by ../routes.ts.
 */
`;

const METHODS: Readonly<Record<string, string>> = { GET: '', POST: '+', PUT: '=', DELETE: '-' };

/** Text of sdk/src/generated/routes.ts. */
export function sdkRoutes(): string {
  const resources = [...grouped(operations(), ({ resource }) => resource)];
  const table = resources.map(([resource, of]) => `  ${resource}: ${literal(line(resource, of))},\n`);
  const reading = ({ route }: Operation) => route.method === 'GET';
  return [
    `${HEAD}export const routes = {\n${table.join('')}};\n`,
    names('Reads', 'The operations that read.', resources, reading),
    names('Paged', 'Those that have pages, asked for by the request header `page`.', resources, isPaged),
    names(
      'Linked',
      'Those whose pages each name the next one: what to ask for by `after`.',
      resources,
      isLinked,
    ),
  ].join('\n');
}

function line(resource: string, of: readonly Operation[]): string {
  const paths = of.map(({ route }) => shortened(route.path, resource));
  const common = commonPath(paths);
  const words = of.map(({ name, route, metadata }, index) => {
    const marks = [metadata.previews && '?', isEmpty(route) && '.', metadata.access === 'public' && '!'];
    return [name, METHODS[route.method], paths[index]?.slice(common.length), ...marks.filter(Boolean)].join(
      '',
    );
  });
  return [common, ...words].join(' ');
}

function shortened(path: string, resource: string): string {
  return path.replace(`:${resource}_id`, ':').replace(/:esi_path$/, '$&*');
}

/** The segments that all paths begin with. */
function commonPath([first = '', ...others]: readonly string[]): string {
  const segments = first.split('/');
  const differs = segments.findIndex((segment, index) =>
    others.some((path) => path.split('/')[index] !== segment),
  );
  return differs === -1 ? first : segments.slice(0, differs).join('/');
}

function isPaged({ route }: Operation): boolean {
  return route.headers instanceof z.ZodObject && 'page' in route.headers.shape;
}

function isLinked({ route }: Operation): boolean {
  return route.query instanceof z.ZodObject && 'after' in route.query.shape;
}

/** A type with the names of some operations of each resource. */
function names(
  type: string,
  doc: string,
  resources: readonly [string, Operation[]][],
  which: (operation: Operation) => boolean,
): string {
  const members = resources.flatMap(([resource, of]) => {
    const named = of.filter(which).map(({ name }) => literal(name));
    return named.length === 0 ? [] : [`  ${resource}: ${named.join(' | ')};\n`];
  });
  return `/** ${doc} */\nexport interface ${type} {\n${members.join('')}}\n`;
}

function isEmpty(route: AppRoute): boolean {
  const [success] = Object.entries(route.responses).find(([status]) => Number(status) < 300) ?? [];
  if (success === undefined) return false;
  const response = route.responses[Number(success)];
  if (response !== undefined && isAppRouteOtherResponse(response)) throw new Error(`${route.path}: no JSON`);
  return !(response instanceof z.ZodType);
}
