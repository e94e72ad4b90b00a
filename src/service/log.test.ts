/** The log: its format follows the stream or the setting, and errors carry no values of rows, bodies or tokens. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogFormat } from './config.ts';
import { openLog } from './log.ts';

/** Returns the output of a log of this format on a terminal or a pipe. */
function written(logFormat: LogFormat, isTTY: boolean, log: (logger: ReturnType<typeof openLog>) => void): string {
  let text = '';
  log(openLog({ logLevel: 'info', logFormat }, { isTTY, write: (line) => (text += line) }));
  return text;
}

test('is text on a terminal and JSON elsewhere; the setting forces one', () => {
  const isJson = (text: string): boolean => text.startsWith('{');
  for (const [format, isTTY, json] of [
    ['auto', true, false],
    ['auto', false, true],
    ['text', false, false],
    ['json', true, true],
  ] as const) {
    assert.equal(isJson(written(format, isTTY, (log) => log.info('x'))), json, `${format} ${isTTY}`);
  }
});

test('colors only a terminal', () => {
  let text = '';
  openLog({ logLevel: 'info', logFormat: 'text' }, { write: (line) => (text += line) }).warn({ a: 1 }, 'x');
  assert.match(text, /^\d\d:\d\d:\d\d WARN {2}x a=1\n$/);
});

test('no request controls the terminal', () => {
  const error = Object.assign(new Error('x'), { stack: 'Error: x\x1b[1m\n    at y' });
  const text = written('text', false, (log) => log.warn({ path: '/a\x9b', err: error }, 'slow\x07'));
  assert.match(text, /^\S+ WARN {2}slow\ufffd path=\/a\ufffd\n {4}Error: x\ufffd\[1m\n {8}at y\n$/);
});

test('errors show type, message, stack, code and causes, and no other property', () => {
  const cause = Object.assign(new Error('duplicate key'), { code: '23505', detail: 'Key (ip)=(192.0.2.7)', row: {} });
  const error = Object.assign(new Error('not recorded', { cause }), { body: 'svc_sk_x', headers: { cookie: 'c' } });
  for (const format of ['json', 'text'] as const) {
    const text = written(format, false, (log) => log.error({ err: error }, 'failed'));
    for (const shown of ['not recorded', 'duplicate key', 'log.test.ts']) assert.ok(text.includes(shown), text);
    for (const secret of ['192.0.2.7', 'svc_sk_x', 'cookie']) assert.ok(!text.includes(secret), text);
  }
  const { err } = JSON.parse(written('json', false, (log) => log.error(error)));
  assert.deepEqual([err.type, err.message, err.cause.code], ['Error', 'not recorded', '23505']);
  const nested = written('text', false, (log) => log.error({ err: error }, 'failed'));
  assert.match(nested, /\n {4}caused by Error: duplicate key\n/);
});

test('a chain of causes that ends nowhere is cut', () => {
  const error = new Error('round');
  error.cause = error;
  const text = written('json', false, (log) => log.error({ err: error }, 'x'));
  assert.equal(text.split('"cause"').length - 1, 8);
  assert.equal(JSON.parse(written('json', false, (log) => log.error({ err: 'text' }, 'x'))).err.message, 'text');
});
