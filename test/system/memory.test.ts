/** `POSTERN_MEMORY` bounds the whole process: full caches, reports and a preview stay within it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { launch, newTestKey, type Running, temporaryFolder } from '../../kit/launch.ts';
import { LEAST_MIB } from '../../src/lib/memory.ts';

const ITEMS = 20_000;
const AT_ONCE = 1_000;

/** The most that was ever resident; see proc(5). */
const peakMiB = ({ pid }: Running): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

const itemAt = (i: number) => ({
  externalId: `item-${i}`,
  title: `Item ${i}`,
  type: 'article',
  source: `https://example.com/items/${i}`,
  tags: [`tag-${i}`, `section-${i % 50}`],
  metadata: { section: `s${i % 7}`, note: `${i}`.repeat(60).slice(0, 300) },
});

interface Answered {
  id: string;
  data: unknown[];
}

async function ok(answer: Promise<{ status: number; text: string; body: unknown }>) {
  const { status, text, body } = await answer;
  assert.ok(status < 300, `${status} ${text.slice(0, 300)}`);
  return body as Answered;
}

/** Asks for every item, so that records, metadata included, come into memory; twice, as more are recorded. */
async function checkAll(postern: Running): Promise<void> {
  for (let round = 0; round < 2; round++) {
    for (let from = 0; from < ITEMS; from += AT_ONCE) {
      const checks = Array.from({ length: AT_ONCE }, (_, i) => ({
        contentId: `item-${from + i}`,
        requesterId: `bot-${(from + i) % 5_000}`,
      }));
      const { data } = await ok(postern.ask('POST', '/v1/access/check/batch', { body: { checks } }));
      assert.equal(data.length, AT_ONCE);
    }
  }
}

test('the least setting is kept under load', { skip: process.platform !== 'linux' }, async () => {
  using folder = temporaryFolder();
  const options = { dataDir: folder.path, key: newTestKey(), env: { POSTERN_MEMORY: String(LEAST_MIB) } };
  const postern = launch(options);
  try {
    await postern.ready;
    const rules = [{ action: 'allow', conditions: { contentMetadata: { section: ['s1', 's2', 's3'] } } }];
    const { id } = await ok(postern.ask('POST', '/v1/policies', { body: { name: 'Sections', rules } }));
    for (let from = 0; from < ITEMS; from += AT_ONCE) {
      const items = Array.from({ length: AT_ONCE }, (_, i) => ({ ...itemAt(from + i), policyId: id }));
      await ok(postern.ask('POST', '/v1/content/bulk-upsert', { body: { items } }));
    }
    await checkAll(postern);
    const counted = () => ok(postern.ask('GET', '/v1/analytics/usage?period=all'));
    await counted();
    await Promise.all([counted(), counted(), ok(postern.ask('GET', '/v1/analytics/requesters?limit=100'))]);
    const policy = { rules: [{ ...rules[0], action: 'deny' }], defaultAction: 'allow' };
    await ok(postern.ask('POST', `/v1/policies/${id}/impact`, { body: { policy } }));
    const peak = peakMiB(postern);
    assert.ok(peak <= LEAST_MIB, `${peak.toFixed(0)} MiB were resident`);
  } finally {
    await postern.end('SIGKILL');
  }
});
