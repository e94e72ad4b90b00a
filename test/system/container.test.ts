/**
 * The steps of deploy/Dockerfile, one by one, without a container engine: each COPY takes only what .dockerignore lets
 * through, the build runs on that, and the last stage serves. Both `npm ci` are replaced by the packages that are
 * installed here.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, matchesGlob } from 'node:path';
import { after, test } from 'node:test';
import { type Copy, DockerfileParser, type From } from 'dockerfile-ast';
import { assertBackgroundWorked } from '../../kit/background.ts';
import { freePort } from '../../kit/port.ts';
import { until } from '../../kit/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'postern-container-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const ROOT = process.cwd();
const WORKDIR = '/postern';
const dockerfile = DockerfileParser.parse(readFileSync('deploy/Dockerfile', 'utf8'));
const instructions = dockerfile.getInstructions();
const froms = dockerfile.getFROMs();
const stages = froms.map((from, i) => ({
  name: from.getBuildStage() ?? 'last',
  steps: instructions.slice(
    instructions.indexOf(from) + 1,
    i + 1 < froms.length ? instructions.indexOf(froms[i + 1] as From) : undefined,
  ),
}));

const rules = readFileSync('.dockerignore', 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

/** Returns true if a path, relative to the root, is part of the context: the last rule that matches it decides. */
function isSent(path: string): boolean {
  let sent = true;
  for (const rule of rules) {
    const pattern = rule.replace(/^!/, '');
    if (path === pattern || path.startsWith(`${pattern}/`) || matchesGlob(path.split('/')[0] ?? '', pattern)) {
      sent = rule.startsWith('!');
    }
  }
  return sent;
}

/** Returns true if a folder may hold something that is sent. */
const leadsTo = (path: string): boolean => rules.some((rule) => rule.startsWith(`!${path}/`));

const inStage = (stage: string, path: string): string => join(folder, stage, WORKDIR, path);

function copy(stage: string, step: Copy): void {
  const words = step.getArguments().map((one) => one.getValue());
  const target = words.pop() as string;
  for (const source of words) {
    const from = step.getFromFlag()?.getValue();
    const to = target.endsWith('/') ? join(target, source.split('/').at(-1) as string) : target;
    const path = from == null ? join(ROOT, source) : join(folder, from, source);
    const filter = (file: string): boolean => {
      const relative = file.slice(ROOT.length + 1);
      return from != null || isSent(relative) || leadsTo(relative);
    };
    mkdirSync(dirname(inStage(stage, to)), { recursive: true });
    cpSync(path, inStage(stage, to), { recursive: true, filter, verbatimSymlinks: true });
  }
}

/** Runs a RUN of the build, but for what installs and removes packages. */
function build(stage: string, command: string): void {
  const parts = command.split('&&').map((part) => part.trim());
  for (const part of parts.filter((one) => one.startsWith('node '))) {
    const ran = spawnSync('sh', ['-c', part], { cwd: inStage(stage, '.'), encoding: 'utf8' });
    assert.equal(ran.status, 0, `${part}\n${ran.stdout}${ran.stderr}`);
  }
  if (parts[0] === 'npm ci --omit=dev') {
    for (const path of ['node_modules', 'console/node_modules']) {
      mkdirSync(dirname(inStage(stage, path)), { recursive: true });
      symlinkSync(join(ROOT, path), inStage(stage, path));
    }
  }
}

test('the image builds from what it copies, serves, and reports its health', async () => {
  for (const { name, steps } of stages) {
    mkdirSync(inStage(name, '.'), { recursive: true });
    for (const step of steps) {
      if (step.getKeyword() === 'COPY') copy(name, step as Copy);
      if (step.getKeyword() === 'RUN') build(name, step.getArgumentsContent() ?? '');
    }
  }
  const last = stages.at(-1)?.steps ?? [];
  const of = (keyword: string): string => last.find((one) => one.getKeyword() === keyword)?.getArgumentsContent() ?? '';
  const settings = Object.fromEntries(
    of('ENV')
      .split(/[\s\\]+/)
      .map((pair) => pair.split('=')),
  ) as Record<string, string>;
  const port = String(await freePort());
  const env = {
    PATH: process.env.PATH,
    ...settings,
    POSTERN_DATA_DIR: join(folder, 'data'),
    POSTERN_PORT: port,
    POSTERN_CRAWLER_LISTS: 'false',
  };
  const cwd = inStage('last', '.');
  const [command = '', ...args] = [...JSON.parse(of('ENTRYPOINT')), ...JSON.parse(of('CMD'))] as string[];
  const service = spawn(command, args, { cwd, env, stdio: 'pipe' });
  let out = '';
  service.stdout.on('data', (chunk) => (out += chunk));
  service.stderr.on('data', (chunk) => (out += chunk));
  const ended = new Promise((done) => service.once('exit', done));
  try {
    await until('the image serves', () => out.includes('"msg":"ready"') || service.exitCode !== null, 60_000);
    assert.match(await (await fetch(`http://127.0.0.1:${port}/console`)).text(), /<div id=/, out);
    const [health = '', ...given] = JSON.parse(/\[.*\]/.exec(of('HEALTHCHECK'))?.[0] ?? '[]') as string[];
    const healthy = spawnSync(health, given, { cwd, env, encoding: 'utf8' });
    assert.equal(healthy.status, 0, healthy.stdout + healthy.stderr);
    const version = spawnSync(command, [args[0] as string, '--version'], { cwd, env, encoding: 'utf8' });
    assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/, version.stderr);
    service.kill(of('STOPSIGNAL') as NodeJS.Signals);
    assert.equal(await ended, 0, out);
    assertBackgroundWorked(out);
  } finally {
    service.kill('SIGKILL');
    await ended;
  }
});
