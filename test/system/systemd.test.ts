/** The unit of `deploy/`, judged by systemd's own verifier. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { folderOf } from '../../kit/web-server.ts';

const folder = folderOf({});
const unit = readFileSync('deploy/postern.service', 'utf8');

const skip =
  spawnSync('systemd-analyze', ['--version']).error === undefined ? false : 'there is no systemd-analyze here';
test('systemd reads it without a complaint, and finds it little exposed', { skip }, () => {
  const file = join(folder, 'postern.service');
  // The verifier wants a program that is there.
  writeFileSync(file, unit.replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true serve'));
  const verified = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
  assert.deepEqual([verified.status, verified.stderr], [0, '']);
  const exposed = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=25', file], {
    encoding: 'utf8',
  });
  assert.equal(exposed.status, 0, exposed.stdout);
});
