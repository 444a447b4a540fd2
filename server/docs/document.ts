import { setImmediate } from 'node:timers/promises';
import { documentInSteps, type OpenApiDocument } from '../../contract/openapi.ts';
import { API_VERSION } from '../../contract/version.ts';

/** The OpenAPI document of the service at this address, made with the event loop free in between (D3c). */
export async function makeDocument(baseUrl: string): Promise<OpenApiDocument> {
  const steps = documentInSteps(baseUrl, API_VERSION);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    await setImmediate();
  }
}
