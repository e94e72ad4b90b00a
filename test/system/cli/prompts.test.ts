/** At a terminal: what changes something asks, no is the default, what is secret is not shown, Ctrl-C does nothing. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { compileCache } from '../../../kit/compile-cache.ts';
import { programFile } from '../../../kit/programs.ts';
import { startTestService } from '../../../kit/service.ts';
import { until } from '../../../kit/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'postern-prompts-'));
const postern = await startTestService();
after(async () => {
  await postern[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});
const env = { POSTERN_URL: postern.url, POSTERN_KEY: postern.key };

interface Session {
  /** The terminal's output so far, without control sequences. */
  shown(): string;
  raw(): string;
  press(keys: string): void;
  ended: Promise<number | null>;
}

/** The command at a terminal of a hundred columns (`script` of util-linux makes one). */
function atTerminal(args: string[], more: Record<string, string> = env): Session {
  const words = [process.execPath, programFile('postern'), ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', `stty cols 100 rows 40; exec ${words}`, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...compileCache(), TERM: 'xterm', ...more },
    stdio: 'pipe',
  });
  let raw = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (raw += text));
  const ended = new Promise<number | null>((done) => child.once('close', (code) => done(code)));
  return {
    raw: () => raw,
    shown: () => stripVTControlCharacters(raw),
    press: (keys) => void child.stdin.write(keys),
    ended,
  };
}

describe('at a terminal', () => {
  const policies = async (): Promise<number> => (await postern.call('GET', '/v1/policies')).body.totalCount;
  const file = join(folder, 'p.json');
  writeFileSync(file, '{"name":"Asked","rules":[]}');

  test('apply writes after yes alone; return is no', async () => {
    const before = await policies();
    const no = atTerminal(['policies', 'apply', file]);
    await until('it asks', () => no.shown().includes('Write 1 change to'));
    no.press('\r');
    assert.equal(await no.ended, 1);
    assert.equal(await policies(), before);
    const yes = atTerminal(['policies', 'apply', file]);
    await until('it asks', () => yes.shown().includes('Write 1 change to'));
    yes.press('y');
    assert.equal(await yes.ended, 0);
    assert.equal(await policies(), before + 1);
  });

  test('a key is asked for, and not shown', async () => {
    const session = atTerminal(['policies', 'list'], { POSTERN_URL: postern.url });
    await until('it asks', () => session.shown().includes(`Key for ${postern.url}`));
    session.press(postern.key);
    await until('something is typed', () => session.shown().includes('▪▪▪'));
    session.press('\r');
    assert.equal(await session.ended, 0);
    assert.match(session.shown(), /pol_default/);
    assert.ok(!session.raw().includes(postern.key));
  });

  test('Ctrl-C at a question does nothing and ends with 130', async () => {
    const before = await policies();
    writeFileSync(file, '{"name":"Another","rules":[]}');
    const session = atTerminal(['policies', 'apply', file]);
    await until('it asks', () => session.shown().includes('Write 1 change to'));
    session.press('\x03');
    assert.equal(await session.ended, 130);
    assert.equal(await policies(), before);
  });

  test('init asks its three questions', async () => {
    const session = atTerminal(['init'], {});
    for (const question of ['Folder for the data', 'Port of the service', 'First policy']) {
      await until(question, () => session.shown().includes(question));
      session.press(question.startsWith('First policy') ? '\x1b[B' : '\r');
    }
    await until('the second is chosen', () => session.shown().includes('● Open access'));
    session.press('\r');
    assert.equal(await session.ended, 0);
    assert.match(readFileSync(join(folder, 'policies/open-access.yaml'), 'utf8'), /^name: Open access/);
  });

  test('there is color, and none with NO_COLOR', async () => {
    const colors = async (more: Record<string, string>): Promise<boolean> => {
      const session = atTerminal(['policies', 'list'], { ...env, ...more });
      assert.equal(await session.ended, 0);
      return session.raw().includes('\x1b[1m');
    };
    assert.deepEqual(
      [await colors({}), await colors({ NO_COLOR: '1' }), await colors({ TERM: 'dumb' })],
      [true, false, false],
    );
  });
});
