/** Finds code outside the one file where it belongs; a pure function of texts. */

interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** Something that belongs in one place: how to recognise it elsewhere, and what to use there instead. */
interface Homed {
  readonly name: string;
  readonly home: RegExp;
  readonly signs: readonly RegExp[];
  readonly instead: string;
}

const LEVEL = /(?:clearance_?level|\blevel|\w_level)\b/.source;
const USER_ID = /\b(?:character|owner|sponsor)_?id\b/.source;
/**
 * Matches a comparison between two values, in TypeScript, in SQL or as arguments of the query builder: ` >= `, `', '<',
 * `.
 */
const COMPARISON = /(?:'?,\s*'(?:[<>]=?|!?=|<>)',|\s*(?:<>|[<>]=?|[!=]==?|=))\s*/.source;
const FALLBACK = /(?:\s*(?:\?\?|:|,|\bbetween\b|\bthen\b|\belse\b)\s*)/.source;

const HOMED: readonly Homed[] = [
  {
    name: 'SQL',
    home: /\.queries\.ts$|^server\/database\//,
    signs: [
      /\bsql(?:<.*>)?`|\bsql\.\w+\(/,
      /\.(?:select(?:From|NoFrom)|insertInto|updateTable|deleteFrom|mergeInto|replaceInto|executeQuery)\(/,
      /['"`]\s*(?:select|insert into|delete from|with \w+ as|listen|notify|truncate)\s/i,
      /\bupdate [\w.]+ set\b/i,
    ],
    instead: 'belongs into *.queries.ts',
  },
  {
    name: "a table of pg-boss's",
    home: /^server\/queue\/pgboss\.queries\.ts$/,
    signs: [/\bpgboss\.(?!queries\b)/],
    instead: 'is touched by server/queue/pgboss.queries.ts alone',
  },
  {
    name: 'a bare level',
    home: /^server\/access\//,
    signs: [new RegExp(`${LEVEL}(?:${COMPARISON}|${FALLBACK})-?\\d`, 'i')],
    instead: 'has a name in server/access/clearance-levels.ts or clearance-levels.queries.ts',
  },
  {
    name: "the built-in user's id",
    home: /^server\/access\//,
    signs: [
      new RegExp(`${USER_ID}${COMPARISON}0\\b`, 'i'),
      /\bBUILT_IN_USER\b.*contract\/access/,
      /[!=]== BUILT_IN_USER\b/,
    ],
    instead: 'is asked for by isBuiltIn of server/access/clearance-levels.ts or clearance-levels.queries.ts',
  },
];

const COMMENT = /^\s*(?:\/?\*|\/\/)/;

/** One line for each occurrence outside its place. */
export function strayIn({ path, text }: TextFile): string[] {
  const foreign = HOMED.filter(({ home }) => !home.test(path));
  return text
    .split('\n')
    .flatMap((line, index) =>
      COMMENT.test(line)
        ? []
        : foreign
            .filter(({ signs }) => signs.some((sign) => sign.test(line)))
            .map(({ name, instead }) => `${path}:${index + 1}: ${name} ${instead}: ${line.trim()}`),
    );
}
