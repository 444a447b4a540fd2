import { expect, it } from 'vitest';
import { inSpan, traceContext } from '../../../server/tracing/tracing.ts';
import { startCollector } from '../../harness/collector.ts';

const carried = (name: string) => inSpan(name, {}, async () => traceContext());

it('traces are made while a collector is configured, for one collector after another', async () => {
  expect(await carried('before')).toEqual({});
  for (const name of ['first', 'second']) {
    const collector = await startCollector('tracing');
    expect(await carried(name)).toEqual({ traceparent: expect.stringMatching(/^00-\w{32}-\w{16}-01$/) });
    await collector.stop();
    expect(collector.bodies.join()).toContain(`"name":"${name}"`);
    expect(await carried('after')).toEqual({});
  }
});
