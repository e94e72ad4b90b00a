/** However the process ends while reports are being counted, it ends by itself and soon: DuckDB does not abort it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spawnService } from '../../../kit/process.ts';
import { until } from '../../../kit/until.ts';

const HACK = new URL('../../../proof/crash/busy-columns.ts', import.meta.url).href;

for (const [signal, code] of [
  ['SIGTERM', 0],
  ['SIGUSR2', 1],
] as const) {
  test(`${signal}: exit code ${code}`, async () => {
    await using service = await spawnService({ NODE_OPTIONS: `--import ${HACK}` });
    const gone = new AbortController();
    const headers = { authorization: `Bearer ${service.key}` };
    const asked = fetch(`${service.url}/v1/analytics/usage?period=all`, { headers, signal: gone.signal });
    asked.catch(() => {});
    await until('the question is being answered', () => service.output().includes('DuckDB is busy'));
    gone.abort();
    const from = performance.now();
    service.child.kill(signal);
    assert.equal(await service.ended, code, service.output());
    assert.ok(performance.now() - from < 9_000);
    if (code === 1) assert.match(service.output(), /a fault to order/);
  });
}
