/** `npm run --silent openapi [base URL] > f.yaml`: prints the OpenAPI document, nothing else. */
import { openApiDocument } from '../contract/openapi.ts';
import { openApiYaml } from './openapi-yaml.ts';

process.stdout.write(openApiYaml(openApiDocument(process.argv[2])));
