/** `npm run --silent openapi > f.yaml`: prints the OpenAPI document, nothing else. */
import { outliveReaders } from '../observability/output.ts';
import { explainStart } from '../process/lifecycle.ts';
import { readArguments } from './command-line.ts';

const USAGE = `npm run --silent openapi                   prints the OpenAPI document as YAML
npm run --silent openapi -- BASE_URL       … of a service at that address
`;

outliveReaders();
try {
  const given = readArguments(USAGE, { allowPositionals: true });
  if (given !== undefined) {
    // Not for the usage, which is printed at once.
    const { openApiDocument } = await import('../../contract/openapi.ts');
    const { openApiYaml } = await import('../http/openapi-yaml.ts');
    process.stdout.write(openApiYaml(openApiDocument(given.positionals[0])));
  }
} catch (error) {
  process.stderr.write(explainStart(error));
  process.exitCode = 1;
}
