import { NamingClient } from '../../../server/database/statements.ts';

/**
 * Prints the bytes that connections keep after each has named the same statements. In a process of its own, because the
 * heap of a test's process holds what other test files leave and free.
 *
 * Arguments: the database's URL, and the numbers of connections, of statements, and of characters of each statement.
 */
const [url = '', ...numbers] = process.argv.slice(2);
const [connections = 0, statements = 0, characters = 0] = numbers.map(Number);

const heap = () => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};

const clients = Array.from(
  { length: connections },
  () => new NamingClient({ connectionString: url, namedStatements: statements }),
);
for (const each of clients) await each.connect();
const before = heap();
for (let use = 0; use < 2; use += 1)
  for (let n = 0; n < statements; n += 1)
    await Promise.all(
      clients.map((each) => each.query(`select $1::int -- ${n} ${'.'.repeat(characters)}`, [n])),
    );
process.stdout.write(String(heap() - before));
for (const each of clients) await each.end();
