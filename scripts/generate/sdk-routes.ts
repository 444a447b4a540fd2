/** The table that the SDK's client walks: what to send where, without any schema. */
import { type AppRoute, isAppRouteOtherResponse } from '@ts-rest/core';
import { z } from 'zod';
import { type Operation, operations } from '../../contract/openapi.ts';
import { grouped } from './grouped.ts';
import { literal } from './typescript.ts';

const HEAD = `// Written by \`npm run generate\` from the contract; changes here are lost.

/**
 * What the client must know of each operation to call it: method, path, and marks.
 * \`:name\` stands for a path parameter, \`:name*\` for one that may hold slashes. Marks: b takes a JSON body, j a
 * success holds JSON, p has pages (by the request header \`page\`), u is called without a token, and its redirect
 * handed back.
 */
`;

/** Text of sdk/src/generated/routes.ts. */
export function sdkRoutes(): string {
  const resources = grouped(operations(), ({ resource }) => resource);
  const table = [...resources].map(
    ([resource, of]) =>
      `  ${resource}: {\n${of.map((operation) => `    ${line(operation)}\n`).join('')}  },\n`,
  );
  return `${HEAD}export const routes = {\n${table.join('')}} as const;\n`;
}

function line({ name, route, metadata }: Operation): string {
  const path = route.path.replace(/:esi_path$/, ':esi_path*');
  const marks = [
    'body' in route && route.body instanceof z.ZodType && 'b',
    isJson(route) && 'j',
    route.headers instanceof z.ZodObject && 'page' in route.headers.shape && 'p',
    metadata.previews && 'd',
    metadata.access === 'public' && 'u',
  ];
  const words = [route.method, path];
  const marked = marks.filter(Boolean).join('');
  return `${name}: ${literal([...words, ...(marked === '' ? [] : [marked])].join(' '))},`;
}

function isJson(route: AppRoute): boolean {
  const [success] = Object.entries(route.responses).find(([status]) => Number(status) < 400) ?? [];
  const response = route.responses[Number(success)];
  if (response !== undefined && isAppRouteOtherResponse(response)) throw new Error(`${route.path}: no JSON`);
  return response instanceof z.ZodType;
}
