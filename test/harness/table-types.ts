import { join } from 'node:path';
import ts from 'typescript';

/** The type of a column when it is read, and whether it is optional in an insert. */
export interface Column {
  readonly kind: string;
  readonly nullable: boolean;
  readonly optional: boolean;
}

const ROOT = join(import.meta.dirname, '../..');
const FILE = join(ROOT, 'table-types.ts');
/** Kysely's names for the types in server/database/tables.ts. */
const SOURCE = `
import type { Insertable, Selectable } from 'kysely';
import type { Database } from './server/database/tables.ts';
export type Read = { [Table in keyof Database]: Selectable<Database[Table]> };
export type Written = { [Table in keyof Database]: Insertable<Database[Table]> };
`;

/** The columns of every table by the types in server/database/tables.ts. */
export function tableTypes(): Map<string, Map<string, Column>> {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === FILE || fileExists(name);
  host.getSourceFile = (name, languageVersion) =>
    name === FILE
      ? ts.createSourceFile(name, SOURCE, languageVersion, true)
      : getSourceFile(name, languageVersion);
  const program = ts.createProgram({ rootNames: [FILE], options, host });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(FILE) as ts.SourceFile;

  const properties = (type: ts.Type) =>
    new Map(type.getProperties().map((property) => [property.name, property] as const));
  const typeOf = (property: ts.Symbol) => checker.getTypeOfSymbolAtLocation(property, source);
  const tablesOf = (name: string) => {
    const alias = source.statements.filter(ts.isTypeAliasDeclaration).find((one) => one.name.text === name);
    return properties(checker.getTypeAtLocation(alias as ts.Node));
  };

  const written = tablesOf('Written');
  return new Map(
    [...tablesOf('Read')].map(([table, rows]) => {
      const inserted = properties(typeOf(written.get(table) as ts.Symbol));
      const columns = [...properties(typeOf(rows))].map(([name, column]): [string, Column] => {
        const given = inserted.get(name);
        const optional = given === undefined || (given.flags & ts.SymbolFlags.Optional) !== 0;
        const type = typeOf(column);
        // The type of jsonb is unknown, which includes null.
        const known = (type.flags & ts.TypeFlags.Unknown) === 0;
        const present = known ? checker.getNonNullableType(type) : type;
        return [name, { kind: kindOf(checker, present), nullable: type !== present, optional }];
      });
      return [table, new Map(columns)];
    }),
  );
}

function kindOf(checker: ts.TypeChecker, type: ts.Type): string {
  if (checker.isArrayType(type)) {
    const [element] = checker.getTypeArguments(type as ts.TypeReference);
    return `${kindOf(checker, element as ts.Type)}[]`;
  }
  // Buffer<ArrayBuffer> counts as Buffer.
  return checker.typeToString(checker.getBaseTypeOfLiteralType(type)).replace(/<.*/, '');
}
