/** Every metric that the operating guide says to watch exists. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { startTestService } from '../kit/service.ts';
import { check, made, makeItem } from './http/given.ts';

test('every metric that the guide names is in /metrics, and its alarms can be read', async () => {
  const guide = readFileSync('docs/configure.md', 'utf8');
  const names = new Set(guide.match(/\bpostern_[a-z]+_[a-z_]+\b/g));
  assert.ok(names.size >= 6, [...names].join());
  await using service = await startTestService();
  await service.call('GET', '/v1/content');
  const { text } = await service.call('GET', '/metrics', { key: null });
  for (const name of names) assert.match(text, new RegExp(`^${name}(\\{| )`, 'm'), name);
  assert.doesNotMatch(text, / Nan$/m);
  const [, yaml = ''] = /```yaml\n(groups:[\s\S]*?)```/.exec(guide) ?? [];
  const { groups } = parse(yaml) as { groups: { rules: { alert: string; expr: string }[] }[] };
  for (const { alert, expr } of groups.flatMap(({ rules }) => rules))
    assert.ok(alert !== '' && expr.includes('postern_'));
});

test('decisions are counted by outcome and reason, limits by period, and questions of proxies that got no decision', async () => {
  await using postern = await startTestService();
  const limit = { requests: 2, period: 'hour' };
  const rules = [
    { action: 'deny', conditions: { purpose: 'training' } },
    { action: 'allow', conditions: {}, rateLimit: limit },
  ];
  const limited = await makeItem(postern, rules);
  for (let i = 0; i < 3; i++) await check(postern, { contentId: limited.id });
  await check(postern, { contentId: limited.id, purpose: 'training' });
  await check(postern, { contentId: limited.id, dryRun: true });
  const authorize = (headers: Record<string, string>, key?: null) =>
    postern.call('GET', '/v1/authorize', { headers: { 'x-postern-key': key === null ? '' : postern.key, ...headers } });
  await authorize({ 'x-original-uri': '/nothing', 'x-forwarded-host': 'example.com' });
  await authorize({});
  await authorize({ 'x-original-uri': '/a', 'x-forwarded-uri': '/b' });
  await authorize({}, null);
  const { text } = await postern.call('GET', '/metrics', { key: null });
  for (const line of [
    '# TYPE postern_decisions_total counter',
    'postern_decisions_total{allowed="true",reason=""} 2',
    'postern_decisions_total{allowed="false",reason="rate_limit_exceeded"} 1',
    'postern_decisions_total{allowed="false",reason="policy_denied"} 1',
    'postern_decisions_total{allowed="false",reason="no_license"} 0',
    'postern_limit_claims_total{period="hour",outcome="admitted"} 2',
    'postern_limit_claims_total{period="hour",outcome="refused"} 1',
    'postern_limit_claims_total{period="day",outcome="refused"} 0',
    'postern_authorize_errors_total{error="content_not_found"} 1',
    'postern_authorize_errors_total{error="no_url"} 1',
    'postern_authorize_errors_total{error="conflicting_urls"} 1',
    'postern_authorize_errors_total{error="401"} 1',
  ]) {
    assert.ok(
      text.split('\n').includes(line),
      `${line}\n${text.match(/^postern_(decisions|limit|authorize).*$/gm)?.join('\n')}`,
    );
  }
  // Counters are counters and nothing else has their ending; asked again they do not grow.
  for (const [, name = '', type = ''] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    if (name.startsWith('postern_nodejs_')) continue;
    assert.equal(name.endsWith('_total'), type === 'counter', name);
  }
  const again = await postern.call('GET', '/metrics', { key: null });
  assert.ok(again.text.includes('postern_decisions_total{allowed="true",reason=""} 2\n'));
});

test('a check that a quota refuses counts as denied, also where a limit would have admitted it', async () => {
  await using postern = await startTestService();
  const conditions = { licenseType: 'training' };
  const items = [
    await makeItem(postern, [{ action: 'allow', conditions }]),
    await makeItem(postern, [{ action: 'allow', conditions, rateLimit: { requests: 9, period: 'hour' } }]),
  ];
  const { id: requesterId } = await made(postern, '/v1/requesters', { name: 'Reader' });
  const quota = { units: 2, period: 'month', onExceed: 'deny' };
  const prices = { currency: 'EUR', timezone: 'UTC', period: 'month', unit: 'decision' };
  const terms = { ...prices, tiers: [{ upTo: null, unitPriceMicros: 1 }], quota };
  await made(postern, '/v1/licenses', { requesterId, type: 'training', terms });
  for (const { id } of [...items, ...items]) await check(postern, { contentId: id, requesterId });
  const { text } = await postern.call('GET', '/metrics', { key: null });
  const counted = [...text.matchAll(/^postern_decisions_total\{allowed="\w+",reason="(\w*)"\} ([1-9]\d*)$/gm)];
  assert.deepEqual(
    counted.map(([, reason, times]) => [reason, times]),
    [
      ['', '2'],
      ['quota_exceeded', '2'],
    ],
  );
  assert.match(text, /^postern_limit_claims_total\{period="hour",outcome="refused"\} 0$/m);
});

interface Board {
  panels: { id: number; title: string; targets: { expr: string }[] }[];
  templating: { list: { query: { query: string } }[] };
}

test('the Grafana board can be read, and each of its queries uses metrics that exist', async () => {
  const board = JSON.parse(readFileSync('deploy/grafana.json', 'utf8')) as Board;
  await using postern = await startTestService();
  await postern.call('GET', '/v1/authorize', { headers: { 'x-postern-key': postern.key } });
  const { text } = await postern.call('GET', '/metrics', { key: null });
  const queries = [
    ...board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...board.templating.list.map(({ query }) => query.query),
  ];
  assert.ok(queries.length > 10);
  assert.equal(new Set(board.panels.map(({ id }) => id)).size, board.panels.length);
  for (const query of queries) {
    const names = query.match(/\bpostern_\w+/g) ?? [];
    assert.ok(names.length > 0, query);
    for (const name of names) {
      const samples = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
      assert.ok(samples.length > 0, `${name} in ${query}`);
      // A rate is of a counter, and a counter is shown as a rate.
      const isCounter = /_(total|bucket|count)$/.test(name);
      assert.equal(new RegExp(`(rate|increase)\\(${name}\\b`).test(query), isCounter, query);
      for (const [, label = ''] of query.matchAll(/\b(\w+)=~?"/g)) {
        if (label !== 'instance')
          assert.ok(
            samples.some((line) => line.includes(`${label}="`)),
            `${label} of ${name}`,
          );
      }
    }
  }
});

test('durations of answers are a histogram by route and status, also of refused requests', async () => {
  await using postern = await startTestService();
  for (let i = 0; i < 3; i++) await postern.call('GET', '/v1/content?limit=1');
  await postern.call('GET', '/v1/content', { key: null });
  const { text } = await postern.call('GET', '/metrics', { key: null });
  const name = 'postern_http_request_duration_seconds';
  assert.ok(text.includes(`\n# TYPE ${name} histogram\n`));
  const listed = (status: number) => `method="GET",route="/v1/content",status="${status}"`;
  for (const [status, count] of [
    [200, 3],
    [401, 1],
  ] as const) {
    const counts = [...text.matchAll(new RegExp(`^${name}_bucket\\{le="([^"]+)",${listed(status)}\\} (\\d+)$`, 'gm'))];
    const bounds = counts.map(([, bound]) => (bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound)));
    assert.deepEqual(
      bounds,
      bounds.toSorted((a, b) => a - b),
    );
    assert.deepEqual(
      counts.map(([, , seen]) => Number(seen)),
      counts.map(([, , seen]) => Number(seen)).toSorted((a, b) => a - b),
    );
    assert.equal(Number(counts.at(-1)?.[2]), count);
    assert.ok(text.split('\n').includes(`${name}_count{${listed(status)}} ${count}`));
    assert.match(text, new RegExp(`^${name}_sum\\{${listed(status)}\\} 0\\.\\d+`, 'm'));
  }
});
