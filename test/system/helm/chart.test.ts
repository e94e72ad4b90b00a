/**
 * The chart for Helm, rendered by the template engine of Go and by Sprig, as Helm does it. Promise: with its first
 * values it is the plain manifests, whose tests count for it; and what its values change is valid by the schemas of
 * Kubernetes.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Check } from 'typebox/schema';
import { parse, parseAllDocuments } from 'yaml';
import { faultsOf, type Manifest } from '../../../kit/kubernetes.ts';
import { folderOf, requireCommand } from '../../../kit/web-server.ts';

const CHART = 'deploy/helm/postern';
const IMAGE = { repository: 'registry.example.com/postern' };
const folder = folderOf({});
after(() => rmSync(folder, { recursive: true }));
requireCommand('go', 'golang-go');
const renderer = join(folder, 'render');
const env = { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOFLAGS: '' };
execFileSync('go', ['build', '-o', renderer, 'test/system/helm/render.go'], { env });

const run = (values: object, name: string) =>
  spawnSync(renderer, [CHART, name, JSON.stringify(values)], { encoding: 'utf8' });

function render(values: object, name = 'postern'): Manifest[] {
  const { stdout, stderr } = run({ image: IMAGE, ...values }, name);
  assert.equal(stderr, '');
  const texts = Object.values(JSON.parse(stdout) as Record<string, string>);
  const objects = texts.flatMap((text) => parseAllDocuments(text).map((one) => one.toJS())).filter(Boolean);
  return objects.toSorted((one, other) => nameOf(one).localeCompare(nameOf(other)));
}
const nameOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;
const find = (objects: readonly Manifest[], kind: string): Manifest => objects.find((one) => one.kind === kind);

/** Removes what only a release has. */
const withoutRelease = (object: Manifest): Manifest =>
  JSON.parse(JSON.stringify(object), (key, value) =>
    /^(?:app\.kubernetes\.io\/(?:instance|version|managed-by)|helm\.sh\/chart|imagePullPolicy)$/.test(key)
      ? undefined
      : value,
  );

test('with its first values it is the plain manifests', () => {
  const plain = parseAllDocuments(readFileSync('deploy/kubernetes/postern.yaml', 'utf8')).map((one) => one.toJS());
  const sorted = plain.toSorted((one, other) => nameOf(one).localeCompare(nameOf(other)));
  assert.deepEqual(render({}).map(withoutRelease), sorted);
  const [{ version }, chart] = [
    JSON.parse(readFileSync('package.json', 'utf8')),
    readFileSync(`${CHART}/Chart.yaml`, 'utf8'),
  ];
  assert.deepEqual([parse(chart).version, parse(chart).appVersion], [version, version]);
});

test('all values together', () => {
  const objects = render({
    image: { repository: 'other.example/p', tag: '9', pullPolicy: 'Always' },
    imagePullSecrets: [{ name: 'registry' }],
    nodes: 5,
    secret: 'own',
    settings: { POSTERN_TRUSTED_PROXIES: '10.0.0.0/8', POSTERN_LOG_LEVEL: 'a "quoted" \\ one' },
    resources: { requests: { cpu: '2' }, limits: null },
    storage: { size: '1Gi', className: 'fast' },
    networkPolicy: { from: [{ ipBlock: { cidr: '10.0.0.0/8' } }], databasePort: 6432 },
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'a', operator: 'Exists' }],
  });
  for (const object of objects) assert.deepEqual(faultsOf(object), [], nameOf(object));
  const { replicas, template, volumeClaimTemplates } = find(objects, 'StatefulSet').spec;
  const [container] = template.spec.containers;
  assert.deepEqual([replicas, container.image, container.imagePullPolicy], [5, 'other.example/p:9', 'Always']);
  assert.deepEqual(container.resources, { requests: { cpu: '2', memory: '1Gi' } });
  assert.deepEqual(container.env.slice(-2), [
    { name: 'POSTERN_LOG_LEVEL', value: 'a "quoted" \\ one' },
    { name: 'POSTERN_TRUSTED_PROXIES', value: '10.0.0.0/8' },
  ]);
  const { imagePullSecrets, nodeSelector, tolerations, volumes } = template.spec;
  assert.deepEqual([imagePullSecrets, nodeSelector], [[{ name: 'registry' }], { disk: 'ssd' }]);
  assert.deepEqual(tolerations, [{ key: 'a', operator: 'Exists' }]);
  assert.equal(volumes.find((one: Manifest) => one.name === 'secrets').secret.secretName, 'own');
  const { storageClassName, resources } = volumeClaimTemplates[0].spec;
  assert.deepEqual([storageClassName, resources.requests.storage], ['fast', '1Gi']);
  const { ingress, egress } = find(objects, 'NetworkPolicy').spec;
  assert.deepEqual(ingress[0].from, [{ ipBlock: { cidr: '10.0.0.0/8' } }]);
  assert.ok(egress[0].ports.some((one: Manifest) => one.port === 6432));
  assert.equal(find(render({ networkPolicy: { enabled: false } }), 'NetworkPolicy'), undefined);
});

test('two releases in one namespace have nothing in common', () => {
  const [one, other] = ['north', 'south'].map((name) => render({}, name)) as [Manifest[], Manifest[]];
  const names = new Set(one.map(nameOf));
  assert.ok(!other.some((object) => names.has(nameOf(object))));
  for (const { spec } of one) {
    const selector = spec?.selector?.matchLabels ?? spec?.selector ?? spec?.podSelector?.matchLabels;
    if (selector !== undefined) assert.equal(selector['app.kubernetes.io/instance'], 'north');
  }
  const { spec } = find(one, 'StatefulSet');
  assert.equal(spec.template.metadata.labels['app.kubernetes.io/instance'], 'north');
  assert.ok(names.has(`Service ${spec.serviceName}`));
  assert.ok(names.has(`ServiceAccount ${spec.template.spec.serviceAccountName}`));
});

test('values that are missing or misspelled are refused', () => {
  assert.match(run({}, 'postern').stderr, /Set image.repository: where you pushed the image/);
  // Helm validates values with this schema before it renders.
  const schema = JSON.parse(readFileSync(`${CHART}/values.schema.json`, 'utf8'));
  const first = parse(readFileSync(`${CHART}/values.yaml`, 'utf8')) as object;
  assert.ok(Check(schema, first));
  for (const wrong of [
    { replicas: 3 },
    { nodes: '3' },
    { image: { repo: 'x' } },
    { settings: { POSTERN_PORT: 80 } },
    { settings: { LOG: 'x' } },
    // A secret does not belong into values.
    { settings: { POSTERN_DATABASE_URL: 'postgres://…' } },
    { networkPolicy: { from: [] } },
  ]) {
    assert.ok(!Check(schema, { ...first, ...wrong }), JSON.stringify(wrong));
  }
});
