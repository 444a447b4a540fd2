import { decode, encode } from '@jridgewell/sourcemap-codec';

/**
 * A source map that tells of each line where the source below one of our folders has it, and nothing of packages.
 * Node.js keeps a map for the life of the process once a stack trace was read, a hundred bytes for each entry: with one
 * for each expression, packages included, that was more memory than everything else takes.
 */
export function sourceMapByLines(json, folders) {
  const map = JSON.parse(json);
  const isOurs = map.sources.map((source) =>
    folders.includes(source.replace(/^(\.\.\/)+/, '').split('/')[0]),
  );
  // A line without an entry belongs to the one before, so an entry ends what is told where a package begins.
  let told = false;
  const mappings = decode(map.mappings).map((entries) => {
    const entry = entries.find((one) => one.length > 1);
    if (entry === undefined) return [];
    const [, source, line, column] = entry;
    const before = told;
    told = isOurs[source];
    if (told) return [[0, source, line, column]];
    return before ? [[0]] : [];
  });
  return JSON.stringify({ ...map, names: [], mappings: encode(mappings) });
}
