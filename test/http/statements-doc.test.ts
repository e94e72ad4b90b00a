/** The worked examples of docs/statements.md: the service bills what the tables say. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { startTestService, testClock } from '../../kit/service.ts';
import { assertStatus, item, made, makePolicy } from './given.ts';

const clock = testClock(Date.parse('2026-10-05T12:00:00Z'));
const postern = await startTestService({ clock });
after(() => postern[Symbol.asyncDispose]());
const policy = await makePolicy(postern, [{ action: 'allow', conditions: { hasValidLicense: true } }]);
for (const externalId of ['guide', 'report']) {
  await made(postern, '/v1/content', { ...item({ policyId: policy.id }), externalId });
}

/** The cells of the tables that follow, without their heads. */
const tablesOf = (text: string): string[][][] =>
  text
    .split(/\n\n/)
    .filter((block) => block.startsWith('|'))
    .map((block) =>
      block
        .split('\n')
        .slice(2)
        .filter((row) => row !== '')
        .map((row) =>
          row
            .slice(1, -1)
            .split('|')
            .map((cell) => cell.trim()),
        ),
    );

const examples = readFileSync('docs/statements.md', 'utf8')
  .split('\n## ')
  .filter((section) => section.includes('```json5'));

test('there are examples', () => assert.equal(examples.length, 2));

for (const [i, section] of examples.entries()) {
  test(section.split('\n')[0], async () => {
    const [, terms = ''] = /```json5\n([^]*?)```/.exec(section) ?? [];
    const [uses, lines] = tablesOf(section) as [string[][], string[][]];
    const { id: requesterId } = await made(postern, '/v1/requesters', { id: `example-${i}` });
    const license = await made(postern, '/v1/licenses', { requesterId, type: 'x', terms: JSON.parse(terms) });
    for (const [contentId, purpose, times] of uses) {
      for (let n = 0; n < Number(times); n++) {
        clock.advance(1000);
        const answer = await postern.call('POST', '/v1/access/check', { body: { contentId, requesterId, purpose } });
        assertStatus(answer, 200);
        assert.equal(answer.body.allowed, true);
      }
    }
    const { body } = await postern.call('GET', `/v1/statements?period=2026-10&licenseId=${license.id}`);
    const [statement] = body.data;
    const text = (value: unknown): string => String(value ?? '');
    const billed = statement.lines.map((line: any) =>
      [line.kind, line.purpose, line.tier, line.units, line.decisions, line.amount].map(text),
    );
    const { units, decisions, total } = statement;
    assert.deepEqual([...billed, ['total', '', '', text(units), text(decisions), total.amount]], lines);
  });
}
