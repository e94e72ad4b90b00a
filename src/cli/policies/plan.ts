/** Plans what applying policy files would change. Nothing is written here. */
import type { Postern } from '../../../client/src/client.ts';
import type { Policy } from '../../../client/src/types.ts';
import { paint, plain } from '../../lib/terminal-text.ts';
import type { Comparable, PolicyDiff } from '../../rules/diff.ts';
import { failed, misused } from '../outcome.ts';
import { counted, type Terminal } from '../terminal.ts';
import { type CollectionsOfFile, collectionsText, planCollections } from './collections.ts';
import { findPolicy, listPolicies } from './find.ts';
import type { PolicyFile } from './policy-file.ts';

export interface Plan {
  path: string;
  file: PolicyFile;
  action: 'create' | 'update' | 'none';
  /** The policy as the service has it; undefined when the file creates it. */
  before: Policy | undefined;
  changes: PolicyDiff;
  collections: CollectionsOfFile;
}

/** Returns how many records the plan writes. */
export const countWrites = ({ action, collections }: Plan): number =>
  [action, ...collections.plans.map((plan) => plan.action)].filter((one) => one !== 'none').length;

const EMPTY: Comparable = { name: '', description: null, rules: [], defaultAction: 'deny' };

/** Reads all files and compares them with the service. Returns undefined after reporting an invalid file. */
export async function planAll(
  terminal: Terminal,
  postern: Postern,
  paths: readonly string[],
): Promise<Plan[] | undefined> {
  const [{ loadPolicyFile }, { diff }] = await Promise.all([import('./files.ts'), import('../../rules/diff.ts')]);
  const files = await Promise.all(paths.map((path) => loadPolicyFile(terminal, path)));
  if (files.includes(undefined)) return undefined;
  const policies = await listPolicies(postern);
  const plans = (files as PolicyFile[]).map((file, i): Omit<Plan, 'collections'> => {
    const path = paths[i] as string;
    const before = findPolicy(policies, file);
    if (before === undefined && file.id !== undefined) {
      throw failed(
        `${plain(path)} names the policy ${plain(file.id)}, which the service does not have. Remove the id to create it.`,
      );
    }
    const changes = diff((before as Comparable | undefined) ?? EMPTY, {
      name: file.name,
      description: file.description ?? null,
      rules: file.rules,
      defaultAction: file.defaultAction ?? 'deny',
    });
    const same = changes.fields.length === 0 && changes.rules.length === 0;
    return { path, file, before, changes, action: before === undefined ? 'create' : same ? 'none' : 'update' };
  });
  requireOneFileEach(plans);
  const collections = await planCollections(postern, plans);
  return plans.map((plan, i) => ({ ...plan, collections: collections[i] as CollectionsOfFile }));
}

function requireOneFileEach(plans: readonly Omit<Plan, 'collections'>[]): void {
  const seen = new Set<string>();
  for (const { path, file, before } of plans) {
    const policy = before === undefined ? `name ${file.name}` : `id ${before.id}`;
    if (seen.has(policy)) throw misused(`${path} is for the same policy as another file.`);
    seen.add(policy);
  }
}

export const planText = (terminal: Terminal, plan: Plan): string =>
  policyText(terminal, plan) + collectionsText(terminal, plan.collections);

function policyText(terminal: Terminal, { path, file, action, before, changes }: Plan): string {
  const head = `${plain(path)}: ${plain(file.name)}`;
  const current = `${before?.id}, version ${before?.version}`;
  if (action === 'none') return `  ${head}: unchanged (${current})\n`;
  if (action === 'create') {
    return `${paint(terminal, 'green', '+')} ${head}: to be created with ${counted(file.rules.length, 'rule')}\n`;
  }
  return `${paint(terminal, 'yellow', '~')} ${head}: ${current}, to be edited\n${diffText(terminal, changes)}`;
}

const SIGNS = { added: '+', removed: '-', moved: '↕', changed: '~', moved_and_changed: '~' } as const;
const STYLES = { '+': 'green', '-': 'red', '~': 'yellow', '↕': 'cyan' } as const;

export function diffText(terminal: Terminal, { fields, rules }: PolicyDiff): string {
  const toText = (value: unknown): string =>
    value === null || value === undefined ? 'none' : plain(JSON.stringify(value));
  const lines = fields.map(({ path, from, to }) => `    ${path}: ${toText(from)} → ${toText(to)}`);
  for (const { change, from, to, rule, fields: changed = [] } of rules) {
    const sign = SIGNS[change];
    const moved = from !== null && to !== null && from !== to;
    const position = moved ? `rules[${from}] → rules[${to}]` : `rules[${to ?? from}]`;
    const text = rule === undefined ? change.replaceAll('_', ' ') : toText(rule);
    lines.push(`    ${paint(terminal, STYLES[sign], sign)} ${position} ${text}`);
    for (const { path, from: older, to: newer } of changed) {
      lines.push(`        ${path}: ${toText(older)} → ${toText(newer)}`);
    }
  }
  return lines.map((line) => `${line}\n`).join('');
}
