/** Promise: threads that compute beside checks have a lower priority, also where the service itself has a low one. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const THREAD = `
  require(${JSON.stringify(join(import.meta.dirname, 'priority.ts'))}).lowerPriority(10);
  console.log(require('node:os').getPriority());`;
const PROGRAM = `
  const { Worker } = require('node:worker_threads');
  new Worker(${JSON.stringify(THREAD)}, { eval: true }).on('exit', () => console.log(require('node:os').getPriority()));`;

test('a thread yields by steps from where it is, and the others stay', () => {
  for (const steps of [0, 4, 15]) {
    const args = ['-n', String(steps), process.execPath, '-e', PROGRAM];
    const [thread, main] = execFileSync('nice', args, { encoding: 'utf8' }).trim().split('\n').map(Number);
    assert.equal(main, Math.min(getPriority() + steps, 19));
    assert.equal(thread, process.platform === 'linux' ? Math.min((main ?? 0) + 10, 19) : main);
  }
});
