/** `npm run --silent openapi > f.yaml`: prints the OpenAPI document, nothing else. */
import { openApiDocument } from '../../contract/openapi.ts';
import { openApiYaml } from '../http/openapi-yaml.ts';
import { explainStart } from '../process/lifecycle.ts';
import { readArguments } from './command-line.ts';

const USAGE = `npm run --silent openapi                   prints the OpenAPI document as YAML
npm run --silent openapi -- BASE_URL       … of a service at that address
`;

try {
  const given = readArguments(USAGE, { allowPositionals: true });
  if (given !== undefined) process.stdout.write(openApiYaml(openApiDocument(given.positionals[0])));
} catch (error) {
  process.stderr.write(explainStart(error));
  process.exitCode = 1;
}
