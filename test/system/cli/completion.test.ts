/** The scripts of `postern completion`, read by the shells they are for. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { command } from '../../../kit/command.ts';
import { folderOf, requireCommand } from '../../../kit/web-server.ts';

const folder = folderOf({});

describe('completion', () => {
  test('bash completes commands, options and choices', async () => {
    requireCommand('bash', 'bash');
    const { status, stdout } = await command(['completion', 'bash']);
    assert.equal(status, 0);
    writeFileSync(join(folder, 'completion.bash'), stdout);
    const complete = (...words: string[]): string[] => {
      const list = words.map((word) => `'${word}'`).join(' ');
      const script = `set -euo pipefail; . ./completion.bash; COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _postern; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout: out, stderr } = spawnSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8' });
      assert.equal(stderr, '');
      return out.trim().split('\n');
    };
    assert.deepEqual(complete('postern', 'po'), ['policies']);
    assert.deepEqual(complete('postern', 'policies', 'r'), ['rollback']);
    assert.deepEqual(complete('postern', '--json', 'content', 'import', '--dr'), ['--dry-run']);
    assert.deepEqual(complete('postern', 'completion', 'f'), ['fish']);
    assert.deepEqual(complete('postern', 'content', 'import', 'completion.b'), ['completion.bash']);
  });

  for (const shell of ['zsh', 'fish']) {
    test(`${shell} takes its script`, async () => {
      requireCommand(shell, shell);
      const { stdout } = await command(['completion', shell]);
      writeFileSync(join(folder, `completion.${shell}`), stdout);
      const { stderr, status } = spawnSync(shell, ['-n', `completion.${shell}`], { cwd: folder, encoding: 'utf8' });
      assert.deepEqual([status, stderr], [0, '']);
    });
  }
});
