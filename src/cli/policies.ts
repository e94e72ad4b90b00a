/**
 * `postern policies`: policies as files in git. `apply` brings the service to what the files say: it shows the plan, asks,
 * writes only what is different, and nothing that somebody else has edited since the plan.
 */
import { type Command, Option } from 'commander';
import type { PolicyFile } from '../access/policy-file.ts';
import type { PolicyDiff } from '../policies/diff.ts';
import { type Context, does, examples } from './command.ts';
import { type Answer, type Connection, connect } from './connection.ts';
import { EXIT, type ExitStatus, failed, misused } from './outcome.ts';
import { shown as shownCases, testCommand } from './policies-test.ts';
import { agreed } from './prompts.ts';
import { counted, json, paint, plain, type Terminal, table } from './terminal.ts';

export function policiesCommand(parent: Command, context: Context): void {
  const group = parent
    .command('policies')
    .description('Policies, as files in git: list, get, apply, diff, lint, test, impact, rollback.');
  listCommand(group, context);
  getCommand(group, context);
  applyCommand(group, context);
  diffCommand(group, context);
  lintCommand(group, context);
  testCommand(group, context);
  impactCommand(group, context);
  rollbackCommand(group, context);
}

function listCommand(parent: Command, context: Context): void {
  const command = parent.command('list').description('Lists policies, the newest first.');
  examples(command, '$ postern policies list');
  does(command, context, async (options) => {
    const { terminal } = context;
    const policies = await allPolicies(await connect(terminal, options));
    const rows = policies.map((one) => [
      one.id,
      one.name,
      one.version,
      one.rules.length,
      one.isDefault ? 'default' : null,
      one.updated.slice(0, 10),
    ]);
    const heads = ['id', 'name', 'version', 'rules', '', 'updated'];
    await terminal.out(options.json === true ? json(policies) : table(terminal, heads, rows));
    return EXIT.ok;
  });
}

function getCommand(parent: Command, context: Context): void {
  const command = parent
    .command('get')
    .argument('<policy>', 'id or name')
    .description('Writes a policy as a policy file, to be kept in git and applied again: YAML, or JSON with --json.')
    .option('--of-version <n>', 'as it was in this version');
  examples(command, '$ postern policies get "Research partners" > research.yaml');
  does<{ ofVersion?: string }>(command, context, async (options, name) => {
    const { terminal } = context;
    const connection = await connect(terminal, options);
    const policy = await getPolicy(connection, name ?? '');
    const record =
      options.ofVersion === undefined ? policy : await getVersion(connection, policy.id, options.ofVersion);
    const file = fileOf({ ...record, id: policy.id });
    if (options.json === true) await terminal.out(json(file));
    else await terminal.out((await import('yaml')).stringify(file, { lineWidth: 100 }));
    return EXIT.ok;
  });
}

const getVersion = (connection: Connection, id: string, version: string): Promise<Answer> =>
  connection.ask('GET', `/v1/policies/${id}/versions/${encodeURIComponent(version)}`);

const fileOf = ({ id, name, description, rules, defaultAction }: Answer) => ({
  id,
  name,
  ...(description === null ? {} : { description }),
  rules,
  defaultAction,
});

const allPolicies = (connection: Connection): Promise<Answer[]> => Array.fromAsync(connection.each('/v1/policies'));

/** By id, or by a name that only one has. */
async function getPolicy(connection: Connection, name: string): Promise<Answer> {
  if (/^pol_\w+$/.test(name)) return connection.ask('GET', `/v1/policies/${name}`);
  const found = findPolicy(await allPolicies(connection), { name });
  if (found === undefined) throw failed(`There is no policy with the id or the name "${plain(name)}".`);
  return found;
}

/** Throws when several have the name. */
function findPolicy(policies: readonly Answer[], { id, name }: { id?: string; name: string }): Answer | undefined {
  if (id !== undefined) return policies.find((policy) => policy.id === id);
  const found = policies.filter((policy) => policy.name === name);
  if (found.length < 2) return found[0];
  throw failed(
    `${found.length} policies have the name "${plain(name)}": ${found.map((one) => one.id).join(', ')}. Say which by its id.`,
  );
}

// ---------------------------------------------------------------------------------------------------------------------
// apply and diff

interface Plan {
  path: string;
  file: PolicyFile;
  action: 'create' | 'update' | 'none';
  /** The policy as it is; undefined when it is new. */
  before: Answer | undefined;
  changes: PolicyDiff;
}

/** All files read and compared; undefined when one of them is not valid. */
async function planAll(
  terminal: Terminal,
  connection: Connection,
  paths: readonly string[],
): Promise<Plan[] | undefined> {
  const [{ loadPolicyFile }, { diff }] = await Promise.all([
    import('./policy-files.ts'),
    import('../policies/diff.ts'),
  ]);
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

function applyCommand(parent: Command, context: Context): void {
  const command = parent
    .command('apply')
    .argument('<file...>', 'policy files, JSON (.json) or YAML')
    .description(
      'Brings the service to what policy files say: shows the plan, asks, creates what is new and edits what is different. Applying again changes nothing. A file is of the policy of its id, or else of its name. The cases of the files must pass. Policies without a file are left alone.',
    )
    .option('--yes', 'do not ask, for CI')
    .option('--dry-run', 'show the plan only');
  examples(
    command,
    '$ postern policies apply policies/*.yaml',
    '$ postern policies apply policies/*.yaml --yes   # in CI',
  );
  does<{ yes?: boolean; dryRun?: boolean }>(command, context, async (options, ...paths) => {
    const { terminal } = context;
    const connection = await connect(terminal, options);
    const plans = await planAll(terminal, connection, paths);
    if (plans === undefined) return EXIT.usage;
    const say = options.json === true ? async (text: string) => terminal.err(text) : terminal.out;
    if (!(await casesPass(terminal, plans))) return EXIT.failed;
    for (const plan of plans) await say(planText(terminal, plan));
    const open = plans.filter(({ action }) => action !== 'none');
    await say(`${summaryOf(plans)}\n`);
    if (options.dryRun !== true && open.length > 0) {
      const question = `Write ${counted(open.length, 'change')} to ${connection.url}?`;
      if (!(await agreed(terminal, question, options.yes))) return EXIT.failed;
      for (const plan of open) await write(terminal, connection, plan);
    }
    if (options.json === true) {
      const written = plans.map(({ path, action, before }) => ({
        path,
        action,
        id: before?.id ?? null,
        version: before?.version ?? null,
      }));
      await terminal.out(json(written));
    }
    return EXIT.ok;
  });
}

function summaryOf(plans: readonly Plan[]): string {
  const of = (action: Plan['action']): number => plans.filter((plan) => plan.action === action).length;
  return `${of('create')} to create, ${of('update')} to edit, ${of('none')} unchanged`;
}

async function casesPass(terminal: Terminal, plans: readonly Plan[]): Promise<boolean> {
  const { runCases } = await import('../access/policy-cases.ts');
  let pass = true;
  for (const { path, file } of plans) {
    const results = runCases(file, terminal.now()).filter(({ passed }) => !passed);
    if (results.length === 0) continue;
    terminal.err(shownCases(terminal, path, file, results));
    pass = false;
  }
  if (!pass) terminal.err('Nothing was written: these cases do not pass.\n');
  return pass;
}

/** Leaves the policy as it is now in the plan. */
async function write(terminal: Terminal, connection: Connection, plan: Plan): Promise<void> {
  const { file, before } = plan;
  const { name, description = null, rules, defaultAction = 'deny' } = file;
  const body = { name, description, rules, defaultAction };
  const answer =
    before === undefined
      ? await connection.ask('POST', '/v1/policies', { body })
      : await connection.ask('PATCH', `/v1/policies/${before.id}`, {
          body,
          headers: { 'if-match': `"${before.version}"` },
        });
  plan.before = answer;
  terminal.err(`${plain(file.name)}: ${answer.id}, version ${answer.version}\n`);
  for (const warning of answer.warnings as Answer[]) terminal.err(`  ! ${plain(warning.message)}\n`);
}

function planText(terminal: Terminal, { path, file, action, before, changes }: Plan): string {
  const head = `${plain(path)}: ${plain(file.name)}`;
  if (action === 'none') return `  ${head}: unchanged (${before?.id}, version ${before?.version})\n`;
  if (action === 'create')
    return `${paint(terminal, 'green', '+')} ${head}: to be created with ${counted(file.rules.length, 'rule')}\n`;
  return `${paint(terminal, 'yellow', '~')} ${head}: ${before?.id}, version ${before?.version}, to be edited\n${diffText(terminal, changes)}`;
}

const SIGNS = { added: '+', removed: '-', moved: '↕', changed: '~', moved_and_changed: '~' } as const;
const STYLES = { '+': 'green', '-': 'red', '~': 'yellow', '↕': 'cyan' } as const;

function diffText(terminal: Terminal, { fields, rules }: PolicyDiff): string {
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

function diffCommand(parent: Command, context: Context): void {
  const command = parent
    .command('diff')
    .argument('<what...>', 'policy files; or a policy and two of its versions')
    .description('Shows what applying files would change, or what lies between two versions of a policy.')
    .option('--exit-code', 'end with 1 when there is a difference');
  examples(
    command,
    '$ postern policies diff policies/*.yaml --exit-code',
    '$ postern policies diff "Research partners" 1 3',
  );
  does<{ exitCode?: boolean }>(command, context, async (options, ...what) => {
    const { terminal } = context;
    const connection = await connect(terminal, options);
    const versions = what.length === 3 && what.slice(1).every((text) => /^\d+$/.test(text));
    const found = versions ? await versionDiff(connection, what) : await planAll(terminal, connection, what);
    if (found === undefined) return EXIT.usage;
    if (options.json === true) {
      await terminal.out(
        json(Array.isArray(found) ? found.map(({ path, action, changes }) => ({ path, action, ...changes })) : found),
      );
    } else if (Array.isArray(found)) {
      for (const plan of found) await terminal.out(planText(terminal, plan));
    } else await terminal.out(diffText(terminal, found) || 'No difference.\n');
    const same = Array.isArray(found)
      ? found.every(({ action }) => action === 'none')
      : found.fields.length + found.rules.length === 0;
    return options.exitCode === true && !same ? EXIT.failed : EXIT.ok;
  });
}

async function versionDiff(connection: Connection, [name = '', from = '', to = '']: string[]): Promise<PolicyDiff> {
  const { id } = await getPolicy(connection, name);
  return connection.ask('GET', `/v1/policies/${id}/versions/${from}/diff/${to}`);
}

// ---------------------------------------------------------------------------------------------------------------------
// lint, impact, rollback

function lintCommand(parent: Command, context: Context): void {
  const command = parent
    .command('lint')
    .argument('<file...>', 'policy files, JSON (.json) or YAML')
    .description(
      'Shows what is valid in policy files and yet hardly meant. No service is needed. Ends with 1 when there is a warning, with 2 when a file is not valid.',
    );
  examples(command, '$ postern policies lint policies/*.yaml');
  does(command, context, async (options, ...paths) => {
    const { terminal } = context;
    const [{ lint }, { loadPolicyFile }] = await Promise.all([
      import('../policies/lint.ts'),
      import('./policy-files.ts'),
    ]);
    const found: { path: string; warnings: ReturnType<typeof lint> }[] = [];
    for (const path of paths) {
      const file = await loadPolicyFile(terminal, path);
      if (file !== undefined) found.push({ path, warnings: lint(file.rules as never, file.defaultAction ?? 'deny') });
    }
    const lines = found.flatMap(({ path, warnings }) =>
      warnings.map(
        (one) => `${plain(path)}: ${paint(terminal, 'yellow', one.code)} at ${one.param}\n  ${plain(one.message)}\n`,
      ),
    );
    await terminal.out(options.json === true ? json(found) : lines.join(''));
    if (found.length < paths.length) return EXIT.usage;
    terminal.err(`${counted(found.length, 'file')}, ${counted(lines.length, 'warning')}\n`);
    return lines.length > 0 ? EXIT.failed : EXIT.ok;
  });
}

interface Impact {
  ofVersion?: string;
  from?: string;
  to?: string;
}

function impactCommand(parent: Command, context: Context): void {
  const command = parent
    .command('impact')
    .argument('<file-or-policy>', 'a policy file; or, with --of-version, the id or name of a policy')
    .description('Shows what other rules would have made of the recorded decisions of a policy.')
    .option('--of-version <n>', 'by this version of the policy, instead of a file')
    .option('--from <moment>', 'decisions from then on (default: 30 days before --to)')
    .option('--to <moment>', 'decisions before then (default: now)');
  examples(
    command,
    '$ postern policies impact policies/research.yaml',
    '$ postern policies impact "Research partners" --of-version 2 --from 2026-11-01T00:00:00Z',
  );
  does<Impact>(command, context, async ({ ofVersion, from, to, ...options }, name = '') => {
    const { terminal } = context;
    const connection = await connect(terminal, options);
    let rules: object;
    let policy: Answer;
    if (ofVersion === undefined) {
      const { loadPolicyFile } = await import('./policy-files.ts');
      const file = await loadPolicyFile(terminal, name);
      if (file === undefined) return EXIT.usage;
      policy = findPolicy(await allPolicies(connection), file);
      if (policy === undefined)
        throw failed(`The service has no policy "${plain(file.name)}": nothing was decided by it yet.`);
      rules = { policy: { rules: file.rules, defaultAction: file.defaultAction ?? 'deny' } };
    } else {
      policy = await getPolicy(connection, name);
      rules = { version: Number(ofVersion) };
    }
    const report = await connection.ask('POST', `/v1/policies/${policy.id}/impact`, { body: { ...rules, from, to } });
    await terminal.out(options.json === true ? json(report) : impactText(terminal, report));
    return EXIT.ok;
  });
}

function impactText(terminal: Terminal, report: Answer): string {
  const n = (count: number): string => count.toLocaleString('en');
  const turns = (rows: Answer[], name: (row: Answer) => string): Answer[] =>
    rows.map((row) => [name(row), row.allowToDeny, row.denyToAllow]);
  const part = (title: string, rows: Answer[]): string =>
    rows.length === 0 ? '' : `\n${table(terminal, [title, 'now denied', 'now allowed'], rows)}`;
  const { allowToDeny, denyToAllow, otherPermissions, otherReason, limited, unknown } = report;
  return [
    `${counted(report.decisions, 'decision')} from ${report.from.slice(0, 16)} to ${report.to.slice(0, 16)}\n`,
    `  ${n(report.unchanged)} would be the same\n`,
    `  ${paint(terminal, 'red', n(allowToDeny))} allowed ones would be denied\n`,
    `  ${paint(terminal, 'green', n(denyToAllow))} denied ones would be allowed\n`,
    otherPermissions > 0 ? `  ${n(otherPermissions)} would be allowed with other permissions\n` : '',
    otherReason > 0 ? `  ${n(otherReason)} would be denied for another reason\n` : '',
    limited > 0 ? `  ${n(limited)} were denied by a rate limit, which cannot be replayed\n` : '',
    unknown.decisions > 0 ? `  ${n(unknown.decisions)} cannot be known any more\n` : '',
    part(
      'requester',
      turns(report.byRequester, ({ id, name }) => name ?? id ?? 'anonymous'),
    ),
    part(
      'item',
      turns(report.byContent, ({ title }) => title),
    ),
  ].join('');
}

function rollbackCommand(parent: Command, context: Context): void {
  const command = parent
    .command('rollback')
    .argument('<policy>', 'id or name')
    .argument('<version>')
    .description('Writes an old version of a policy as its new one: shows what changes, and asks.')
    .addOption(new Option('--yes', 'do not ask, for CI'));
  examples(command, '$ postern policies rollback "Research partners" 3');
  does<{ yes?: boolean }>(command, context, (options, name = '', version = '') =>
    rollback(context.terminal, options, name, version),
  );
}

async function rollback(
  terminal: Terminal,
  options: { yes?: boolean; json?: boolean; url?: string },
  name: string,
  version: string,
): Promise<ExitStatus> {
  if (!/^[1-9]\d{0,8}$/.test(version)) throw misused(`A version is a whole number from 1, not "${plain(version)}".`);
  const connection = await connect(terminal, options);
  const policy = await getPolicy(connection, name);
  const changes: PolicyDiff = await connection.ask(
    'GET',
    `/v1/policies/${policy.id}/versions/${policy.version}/diff/${version}`,
  );
  terminal.err(diffText(terminal, changes) || 'The rules are the same; a new version would be written all the same.\n');
  if (!(await agreed(terminal, `Bring ${plain(policy.name)} back to version ${version}?`, options.yes)))
    return EXIT.failed;
  const headers = { 'if-match': `"${policy.version}"` };
  const answer = await connection.ask('POST', `/v1/policies/${policy.id}/rollback`, {
    body: { version: Number(version) },
    headers,
  });
  if (options.json === true) await terminal.out(json(answer));
  else
    terminal.err(`${plain(answer.name)} is at version ${answer.version}, which says what version ${version} said.\n`);
  return EXIT.ok;
}
