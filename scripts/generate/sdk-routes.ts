/** The table that the SDK's client walks: what to send where, without any schema. */
import { type AppRoute, isAppRouteOtherResponse } from '@ts-rest/core';
import { z } from 'zod';
import { type Operation, operations } from '../../contract/openapi.ts';
import { grouped } from './grouped.ts';
import { literal } from './typescript.ts';

const HEAD = `// Written by \`npm run generate\` from the contract; changes here are lost.

/** What the client must know of an operation to call it. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** \`:name\` stands for a path parameter, \`:name*\` for one that may hold slashes. */
  readonly path: string;
  /** Names of the query parameters. */
  readonly query?: readonly string[];
  /** Takes a JSON body. */
  readonly body?: true;
  /** What a success holds. */
  readonly answer: 'json' | 'none';
  /** Is called without a token, and its redirect is handed back instead of followed. */
  readonly public?: true;
}
`;

/** Text of sdk/src/generated/routes.ts. */
export function sdkRoutes(): string {
  const resources = grouped(operations(), ({ resource }) => resource);
  const table = [...resources].map(
    ([resource, of]) =>
      `  ${resource}: {\n${of.map((operation) => `    ${line(operation)}\n`).join('')}  },\n`,
  );
  return `${HEAD}\nexport const routes = {\n${table.join('')}} as const satisfies Record<string, Record<string, Route>>;\n`;
}

function line({ name, route, metadata }: Operation): string {
  const query = route.query instanceof z.ZodObject ? Object.keys(route.query.shape) : [];
  const fields = [
    `method: ${literal(route.method)}`,
    `path: ${literal(route.path.replace(/:esi_path$/, ':esi_path*'))}`,
    ...(query.length > 0 ? [`query: [${query.map(literal).join(', ')}]`] : []),
    ...('body' in route && route.body instanceof z.ZodType ? ['body: true'] : []),
    `answer: ${literal(answerOf(route))}`,
    ...(metadata.access === 'public' ? ['public: true'] : []),
  ];
  return `${name}: { ${fields.join(', ')} },`;
}

function answerOf(route: AppRoute): 'json' | 'none' {
  const [success] = Object.entries(route.responses).find(([status]) => Number(status) < 400) ?? [];
  const response = route.responses[Number(success)];
  if (response !== undefined && isAppRouteOtherResponse(response)) throw new Error(`${route.path}: no JSON`);
  return response instanceof z.ZodType ? 'json' : 'none';
}
