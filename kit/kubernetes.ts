/** Checks objects of Kubernetes against its schemas. */
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

// Its types would be read by every check of types.
const require = createRequire(import.meta.url);
export type Manifest = any;

/** The schemas of Kubernetes, compiled to functions. */
const SCHEMAS: Readonly<Record<string, string>> = {
  'v1 ServiceAccount': 'IoK8sApiCoreV1ServiceAccount',
  'v1 Service': 'IoK8sApiCoreV1Service',
  'apps/v1 StatefulSet': 'IoK8sApiAppsV1StatefulSet',
  'policy/v1 PodDisruptionBudget': 'IoK8sApiPolicyV1PodDisruptionBudget',
  'networking.k8s.io/v1 NetworkPolicy': 'IoK8sApiNetworkingV1NetworkPolicy',
};
interface Validate {
  (object: unknown): boolean;
  errors?: { instancePath: string; keyword: string }[] | null;
}

/** Notes the fields that are read: those that a schema does not know are never looked at. */
function watched(value: Manifest, path: string, unread: Set<string>): Manifest {
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.entries(value).map(([key, one]) => [key, watched(one, `${path}/${key}`, unread)]);
  for (const [key] of parts) unread.add(`${path}/${key}`);
  const copy = Array.isArray(value) ? parts.map(([, one]) => one) : Object.fromEntries(parts);
  return new Proxy(copy, {
    get(target, key) {
      unread.delete(`${path}/${String(key)}`);
      return Reflect.get(target, key);
    },
  });
}

/** Returns the paths of what the schema of its kind refuses or does not know. */
export function faultsOf(object: Manifest): string[] {
  const schema = SCHEMAS[`${object.apiVersion} ${object.kind}`];
  const { validate } = require(resolve(`node_modules/kubernetes-models/_schemas/${schema}.js`)) as {
    validate: Validate;
  };
  const unread = new Set<string>();
  validate(watched(object, '', unread));
  const refused = (validate.errors ?? []).map(({ instancePath, keyword }) => `${instancePath}: ${keyword}`);
  return [...refused, ...[...unread].map((path) => `${path}: unknown`)];
}
