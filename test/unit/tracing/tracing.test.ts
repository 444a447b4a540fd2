import { expect, it } from 'vitest';
import { createLog } from '../../../server/observability/log.ts';
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

it('a collector that takes no traces is logged, and when it takes them again', async () => {
  const logged: string[] = [];
  const collector = await startCollector(
    'tracing',
    createLog('info', { write: (line) => logged.push(line) }),
  );
  collector.status = 401;
  await carried('lost');
  await expect.poll(() => logged.join()).toContain('traces could not be sent and are lost');
  collector.status = 200;
  await carried('sent');
  await expect.poll(() => logged.join()).toContain('the collector of traces: works again');
  await collector.stop();
});
