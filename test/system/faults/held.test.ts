/**
 * A folder of data belongs to one process; what keeps a start or a command from using its files is said in a sentence.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { assertBackgroundWorked } from '../../../kit/background.ts';
import { command } from '../../../kit/command.ts';
import { compileCache } from '../../../kit/compile-cache.ts';
import { temporaryFolder } from '../../../kit/launch.ts';
import { spawnService } from '../../../kit/process.ts';
import { programFile } from '../../../kit/programs.ts';

/** Returns the message of a service that refuses to start. */
async function refused(dataDir: string): Promise<string> {
  const child: ChildProcess = spawn(process.execPath, [programFile('main')], {
    env: {
      PATH: process.env.PATH,
      ...compileCache(),
      POSTERN_PORT: '0',
      POSTERN_DATA_DIR: dataDir,
      POSTERN_LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    // It has started after all: nothing of that kind is logged by one that is refused.
    if (text.includes('ready')) child.kill('SIGKILL');
  });
  const [code] = await once(child, 'close');
  assert.equal(code, 1, said);
  assert.doesNotMatch(said, /\n\s+at /, 'no stack trace');
  return said;
}

const removeLock = (dataDir: string): void => {
  for (const name of readdirSync(dataDir)) if (name.startsWith('postern.lock')) rmSync(join(dataDir, name));
};

describe('a folder of data', () => {
  test('belongs to the process that works on it, also when its lock was deleted or replaced; a kill frees it', async () => {
    using folder = temporaryFolder();
    const env = { POSTERN_DATA_DIR: folder.path };
    await using first = await spawnService(env);
    assert.match(await refused(folder.path), /Another process uses the data in/);
    removeLock(folder.path);
    // The second one has made a lock of its own, and nothing is proved by that.
    for (let i = 0; i < 2; i++) assert.match(await refused(folder.path), /Another process uses the data in/);
    removeLock(folder.path);
    writeFileSync(join(folder.path, 'postern.lock'), '');
    assert.match(await refused(folder.path), /Another process uses the data in/);

    // What is read beside it goes on.
    const copied = await command(['backup', '--data-dir', folder.path, '--to', join(folder.path, 'copy')]);
    assert.equal(copied.status, 0, copied.stderr);

    first.child.kill('SIGKILL');
    await first.ended;
    const answer = await startAgain(folder.path);
    assert.equal(answer, 200);
    removeLock(folder.path);
    assert.equal(await startAgain(folder.path), 200);
  });

  async function startAgain(dataDir: string): Promise<number> {
    await using again = await spawnAgain(dataDir);
    return (await fetch(`${again.url}/readyz`)).status;
  }

  test('that cannot be written, by anybody', async () => {
    assert.match(
      await refused('/sys'),
      /\/sys.* cannot be (written .* Let this user write to the folder and its files|used as a folder)/,
    );
  });

  for (const name of ['postern.lock', 'postern.db']) {
    test(`in which ${name} cannot be opened`, async () => {
      using folder = temporaryFolder();
      mkdirSync(join(folder.path, name));
      assert.match(await refused(folder.path), /cannot be written .* Let this user write to the folder and its files/);
    });
  }

  test('whose records are cut off or something else', async () => {
    using folder = temporaryFolder();
    await using first = await spawnService({ POSTERN_DATA_DIR: folder.path });
    first.child.kill('SIGTERM');
    await first.ended;
    const file = join(folder.path, 'postern.db');
    truncateSync(file, 20_000);
    assert.match(await refused(folder.path), /records in .* (are damaged|cannot be used).*estore a backup/);
    writeFileSync(file, 'no database at all'.repeat(1_000));
    assert.match(await refused(folder.path), /records in .* (are damaged|cannot be used).*estore a backup/);
  });
});

describe('a backup', () => {
  test('that is cut off is refused in a sentence, and leaves the folder free for a whole one', async () => {
    using folder = temporaryFolder();
    await using service = await spawnService({ POSTERN_DATA_DIR: join(folder.path, 'data') });
    const whole = join(folder.path, 'whole');
    const cut = join(folder.path, 'cut');
    assert.equal((await command(['backup', '--data-dir', join(folder.path, 'data'), '--to', whole])).status, 0);
    mkdirSync(cut);
    copyFileSync(join(whole, readdirSync(whole)[0] as string, 'postern.db'), join(cut, 'postern.db'));
    for (const size of [20_000, 100, 0]) {
      truncateSync(join(cut, 'postern.db'), size);
      const ran = await command(['restore', '--from', cut, '--data-dir', join(folder.path, 'new')]);
      assert.equal(ran.status, 1);
      assert.match(ran.stderr, /^The backup in .*cut (cannot be used|is damaged)/);
      assert.doesNotMatch(ran.stderr, /\n\s+at /, 'no stack trace');
    }
    const ran = await command(['restore', '--from', whole, '--data-dir', join(folder.path, 'new')]);
    assert.equal(ran.status, 0, ran.stderr);
    assert.ok(service.url);
  });
});

/** A service on data that is there: it shows no key. */
async function spawnAgain(dataDir: string): Promise<AsyncDisposable & { url: string }> {
  const child = spawn(process.execPath, [programFile('main')], {
    env: { PATH: process.env.PATH, ...compileCache(), POSTERN_PORT: '0', POSTERN_DATA_DIR: dataDir },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  const url = await new Promise<string>((done, fail) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const found = /"address":"([^"]+)"/.exec(said)?.[1];
      if (found !== undefined) done(found);
    });
    child.once('close', () => fail(new Error(said)));
  });
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await once(child, 'close');
      assertBackgroundWorked(said);
    },
  };
}
