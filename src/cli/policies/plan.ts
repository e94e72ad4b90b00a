/** What applying policy files would change: nothing is written here. */
import type { PolicyFile } from '../../access/policy-file.ts';
import type { PolicyDiff } from '../../policies/diff.ts';
import type { Answer, Connection } from '../connection.ts';
import { failed, misused } from '../outcome.ts';
import { counted, paint, plain, type Terminal } from '../terminal.ts';
import { allPolicies, findPolicy } from './find.ts';

export interface Plan {
  path: string;
  file: PolicyFile;
  action: 'create' | 'update' | 'none';
  /** The policy as it is; undefined when it is new. */
  before: Answer | undefined;
  changes: PolicyDiff;
}

/** All files read and compared; undefined when one of them is not valid. */
export async function planAll(
  terminal: Terminal,
  connection: Connection,
  paths: readonly string[],
): Promise<Plan[] | undefined> {
  const [{ loadPolicyFile }, { diff }] = await Promise.all([import('./files.ts'), import('../../policies/diff.ts')]);
  const files = await Promise.all(paths.map((path) => loadPolicyFile(terminal, path)));
  if (files.includes(undefined)) return undefined;
  const policies = await allPolicies(connection);
  const plans = (files as PolicyFile[]).map((file, i): Plan => {
    const path = paths[i] as string;
    const before = findPolicy(policies, file);
    if (before === undefined && file.id !== undefined) {
      throw failed(
        `${plain(path)} is of the policy ${plain(file.id)}, which the service does not have. Take the id out to create it.`,
      );
    }
    const changes = diff(before ?? { name: '', description: null, rules: [], defaultAction: 'deny' }, {
      name: file.name,
      description: file.description ?? null,
      rules: file.rules as never,
      defaultAction: file.defaultAction ?? 'deny',
    });
    const same = changes.fields.length === 0 && changes.rules.length === 0;
    return { path, file, before, changes, action: before === undefined ? 'create' : same ? 'none' : 'update' };
  });
  const twice = plans.find(({ file, before }, i) =>
    plans
      .slice(0, i)
      .some((other) => (before === undefined ? other.file.name === file.name : other.before?.id === before.id)),
  );
  if (twice !== undefined) throw misused(`${twice.path} is of the same policy as another of the files.`);
  return plans;
}

export function planText(terminal: Terminal, { path, file, action, before, changes }: Plan): string {
  const head = `${plain(path)}: ${plain(file.name)}`;
  if (action === 'none') return `  ${head}: unchanged (${before?.id}, version ${before?.version})\n`;
  if (action === 'create')
    return `${paint(terminal, 'green', '+')} ${head}: to be created with ${counted(file.rules.length, 'rule')}\n`;
  return `${paint(terminal, 'yellow', '~')} ${head}: ${before?.id}, version ${before?.version}, to be edited\n${diffText(terminal, changes)}`;
}

const SIGNS = { added: '+', removed: '-', moved: '↕', changed: '~', moved_and_changed: '~' } as const;
const STYLES = { '+': 'green', '-': 'red', '~': 'yellow', '↕': 'cyan' } as const;

export function diffText(terminal: Terminal, { fields, rules }: PolicyDiff): string {
  const value = (one: unknown): string => (one === null || one === undefined ? 'none' : plain(JSON.stringify(one)));
  const lines = fields.map(({ path, from, to }) => `    ${path}: ${value(from)} → ${value(to)}`);
  for (const { change, from, to, rule, fields: of = [] } of rules) {
    const sign = SIGNS[change];
    const place =
      from === null || to === null || from === to ? `rules[${to ?? from}]` : `rules[${from}] → rules[${to}]`;
    const text = rule === undefined ? change.replaceAll('_', ' ') : value(rule);
    lines.push(`    ${paint(terminal, STYLES[sign], sign)} ${place} ${text}`);
    for (const { path, from: older, to: newer } of of) lines.push(`        ${path}: ${value(older)} → ${value(newer)}`);
  }
  return lines.map((line) => `${line}\n`).join('');
}
