/** What the operating guide says to watch is there to be watched. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { startTestService } from './support/service.ts';

test('every metric that the guide names is in /metrics, and its alarms can be read', async () => {
  const guide = readFileSync('docs/operating.md', 'utf8');
  const names = new Set(guide.match(/\bpostern_[a-z]+_[a-z_]+\b/g));
  assert.ok(names.size >= 6, [...names].join());
  await using service = await startTestService();
  await service.call('GET', '/v1/content');
  const { text } = await service.call('GET', '/metrics', { key: null });
  for (const name of names) assert.match(text, new RegExp(`^${name}(\\{| )`, 'm'), name);
  const [, yaml = ''] = /```yaml\n(groups:[\s\S]*?)```/.exec(guide) ?? [];
  const { groups } = parse(yaml) as { groups: { rules: { alert: string; expr: string }[] }[] };
  for (const { alert, expr } of groups.flatMap(({ rules }) => rules))
    assert.ok(alert !== '' && expr.includes('postern_'));
});
