import { type PluginTransformQueryArgs, PostgresQueryCompiler } from 'kysely';

/** The text of a statement that a plugin of Kysely's is shown, whether it is built or written out. */
export function textOf({ node, queryId }: PluginTransformQueryArgs): string {
  return new PostgresQueryCompiler().compileQuery(node, queryId).sql;
}
