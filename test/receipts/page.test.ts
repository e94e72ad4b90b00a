/** Promise: the page that verifies receipts needs nothing but itself, accepts what is whole, and finds every change. */
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launchBrowser } from '../../kit/browser.ts';
import { type Given, PAGE, source, verify } from './page.ts';
import { type Made, makeReceipt, openSigner, type Shape, withMovedSalt, write } from './second.ts';

const signer = openSigner();
const SHAPE: Shape = { decisions: 5, index: 2, entries: 7, head: 3 };
const given = (made: Made): Given => ({ receipt: write(made), keys: signer.key, old: made.old });
const accepts = async (one: Given): Promise<boolean> =>
  verify(one).then(
    () => true,
    () => false,
  );

test('the page is short, and neither loads nor sends', () => {
  assert.ok(source.split('\n').length <= 201);
  assert.match(source, /default-src 'none'/);
  assert.doesNotMatch(source, /fetch\(|XMLHttpRequest|src=|href=|https?:\/\/|\bimport\b/);
});

describe('what is whole', () => {
  test('each decision of trees of 1 to 17', async () => {
    for (let decisions = 1; decisions <= 17; decisions++) {
      for (let index = 0; index < decisions; index++) {
        const made = makeReceipt(signer, { decisions, index, entries: decisions, head: index });
        const parts = await verify(given(made));
        assert.equal(parts.decision, (made.extra.parts.decision as { text: string }).text);
      }
    }
  });

  test('each earlier checkpoint of logs of 1 to 17', async () => {
    for (let entries = 1; entries <= 17; entries++) {
      for (let since = 1; since <= entries; since++) {
        const made = makeReceipt(signer, { ...SHAPE, entries, head: entries - 1, since });
        const steps: string[] = [];
        await verify(given(made), steps);
        assert.ok(steps.some((step) => step.includes(`its ${since} entries are unchanged`)));
      }
    }
  });

  test('final statements: each decision of lines of 1 to 9', async () => {
    for (let count = 1; count <= 9; count++) {
      const ids = Array.from({ length: count }, (_, i) => `dec_${i}`);
      for (let counted = 0; counted < count; counted++) {
        const made = makeReceipt(signer, { ...SHAPE, statement: { ids, counted } });
        const steps: string[] = [];
        assert.deepEqual(Object.keys(await verify(given(made), steps)), ['statement', 'requester']);
        assert.ok(steps.includes(`Line 2 of the statement counts dec_${counted}.`));
      }
    }
    assert.ok(
      await accepts(given(makeReceipt(signer, { ...SHAPE, statement: { ids: ['dec_0'] }, hides: ['requester'] }))),
    );
  });

  test('a receipt from which parts were erased', async () => {
    const parts = await verify(given(makeReceipt(signer, { ...SHAPE, hides: ['requester', 'inputs'] })));
    assert.deepEqual(Object.keys(parts), ['decision', 'rule']);
  });

  test('a checkpoint that a witness cosigned, and a key among others', async () => {
    const made = makeReceipt(signer, SHAPE);
    const cosigned = `${made.checkpoint}— witness.example ${Buffer.alloc(76, 7).toString('base64')}\n`;
    const keys = `${openSigner().key}\n${signer.key}\n`;
    assert.ok(await accepts({ receipt: write({ ...made, checkpoint: cosigned }), keys }));
  });
});

describe('what was changed', () => {
  /** Yields the bytes with each bit flipped. */
  function* flipped(bytes: Buffer): Generator<Buffer> {
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const other = Buffer.from(bytes);
      other[bit >> 3] = (other[bit >> 3] as number) ^ (1 << (bit & 7));
      yield other;
    }
  }

  /** Many at once: each waits for the threads that hash. */
  async function findsAll(texts: Iterable<Given>): Promise<number> {
    const all = [...texts];
    for (let i = 0; i < all.length; i += 256) {
      const some = all.slice(i, i + 256);
      const accepted = await Promise.all(some.map(accepts));
      assert.deepEqual(
        some.filter((_, at) => accepted[at]),
        [],
      );
    }
    return all.length;
  }

  const made = makeReceipt(signer, { ...SHAPE, since: 5, hides: ['inputs'] });
  const whole = given(made);

  test('every bit of the receipt: index, hashes, checkpoint, signature', async () => {
    const all = flipped(Buffer.from(whole.receipt)).map((bytes) => ({ ...whole, receipt: bytes.toString() }));
    assert.ok((await findsAll(all)) > 10_000);
  });

  const statement = makeReceipt(signer, { ...SHAPE, since: 5, statement: { ids: ['dec_0', 'dec_1'], counted: 1 } });
  for (const [name, one] of Object.entries({ made, statement })) {
    test(`every bit of the parts, salts and the tree in it: ${name}`, async () => {
      const own = given(one);
      const all = flipped(Buffer.from(JSON.stringify(one.extra))).map((other) => {
        const lines = own.receipt.split('\n');
        lines[1] = `extra ${other.toString('base64')}`;
        return { ...own, receipt: lines.join('\n') };
      });
      assert.ok((await findsAll(all)) > 4_000);
    });
  }

  test('every bit of the key, and of the earlier checkpoint', async () => {
    await findsAll(flipped(Buffer.from(signer.key)).map((bytes) => ({ ...whole, keys: bytes.toString() })));
    await findsAll(flipped(Buffer.from(made.old)).map((bytes) => ({ ...whole, old: bytes.toString() })));
  });

  test('a salt of another length, which would move where the text begins', async () => {
    const extra = withMovedSalt(made.extra);
    await assert.rejects(verify({ ...whole, receipt: write({ ...made, extra }) }), /has 17 bytes, not 16/);
  });

  for (const [name, one] of Object.entries({ made, statement })) {
    test(`a part that is no text beside the hash that hides it: ${name}`, async () => {
      for (const [part, own] of Object.entries(one.extra.parts)) {
        if (!('text' in own)) continue;
        const salted = Buffer.concat([Buffer.from(own.salt, 'base64'), Buffer.from(own.text)]);
        const hash = createHash('sha256').update(salted).digest('base64');
        for (const text of [['{"allowed":true}'], null, 7, { length: 0 }]) {
          const parts = { ...one.extra.parts, [part]: { text, hash } } as never;
          const forged = write({ ...one, extra: { ...one.extra, parts } });
          assert.equal(await accepts({ ...given(one), receipt: forged }), false, `${part}: ${JSON.stringify(text)}`);
        }
      }
    });
  }

  test('a receipt that does not show what it is about', async () => {
    const hidden = makeReceipt(signer, { ...SHAPE, hides: ['decision'] });
    await assert.rejects(verify(given(hidden)), /lacks the decision/);
  });

  test('a fork: another log of the same key', async () => {
    const other = makeReceipt(signer, { ...SHAPE, since: 5 });
    await assert.rejects(verify({ ...whole, old: other.old }), /does not continue the earlier checkpoint/);
    await assert.rejects(verify({ ...whole, old: other.checkpoint }), /it was forked/);
    const longer = makeReceipt(signer, { ...SHAPE, entries: 9 });
    await assert.rejects(verify({ ...whole, old: longer.checkpoint }), /of a larger log/);
  });

  test('the decision of another requester, in a tree of its own', async () => {
    const parts = { ...made.extra.parts, requester: { text: '{"requesterId":"other"}', salt: salt16 } };
    assert.equal(await accepts({ ...whole, receipt: write({ ...made, extra: { ...made.extra, parts } }) }), false);
  });
  const salt16 = Buffer.alloc(16, 1).toString('base64');

  test('a key of another log', async () => {
    await assert.rejects(verify({ ...whole, keys: openSigner().key }), /None of the keys signed/);
  });
});

describe('in a browser, from the disk', () => {
  test('it shows the decision, and what is wrong', async () => {
    const browser = await launchBrowser();
    after(() => browser.close());
    const page = await browser.newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(PAGE.href);
    const made = makeReceipt(signer, { ...SHAPE, since: 5 });
    await page.getByLabel('Open the receipt from a file').setInputFiles({
      name: 'acme.tlog-proof',
      mimeType: 'text/plain',
      buffer: Buffer.from(write(made)),
    });
    await page.getByLabel('Public keys of the log').fill(signer.key);
    await page.getByLabel('An earlier checkpoint').fill(made.old);
    const verified = async (): Promise<string> => {
      await page.getByRole('button', { name: 'Verify' }).click();
      await page.locator('#steps li').first().waitFor();
      return page.locator('#steps').innerText();
    };
    assert.match(await verified(), /✓ The decision is in the log[\s\S]*✓ The log continues the earlier checkpoint/);
    assert.match(await page.locator('#shown').innerText(), /"id":"dec_1"/);

    await page.getByRole('textbox', { name: 'Receipt', exact: true }).fill(write({ ...made, index: made.index + 1 }));
    await page.locator('#steps').evaluate((list) => list.replaceChildren());
    assert.match(await verified(), /✗ The decision is not in the log/);
    assert.equal(await page.locator('#shown').innerText(), '');
    assert.deepEqual(
      asked,
      [fileURLToPath(PAGE)].map((path) => `file://${path}`),
    );
  });
});
