/**
 * `postern check`: requests a decision and shows it; with `--explain`, rule by rule. Ends with 0 if allowed, 3 if
 * denied.
 */
import type { Command } from 'commander';
import type { AccessDecision, Check } from '../../client/src/types.ts';
import type { Explanation, RuleTrace } from '../decisions/explain/explain.ts';
import { paint, plain } from '../lib/terminal-text.ts';
import { type CommandContext, calls, collect, examples } from './command.ts';
import { EXIT, misused } from './outcome.ts';
import { print, type Terminal } from './terminal.ts';

interface Options {
  requester?: string;
  permission?: string;
  purpose?: string;
  ip?: string;
  country?: string;
  userAgent?: string;
  licenseType?: string;
  licenseFeature?: string[];
  explain?: boolean;
  dryRun?: boolean;
  asOf?: string;
}

export function checkCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('check')
    .argument('<content>', 'id or externalId of the item; or the URL that is asked for, http or https')
    .description(
      'Checks whether a requester may have an item, or what is at a URL: its item, else its collection decides. Ends with 0 if allowed, with 3 if denied. The decision is recorded and counts toward limits, unless --dry-run is given.',
    )
    .option('--requester <id>', 'the requester (default: anonymous)')
    .option('--permission <permission>', 'requested permission, such as training')
    .option('--purpose <purpose>', 'purpose of the request')
    .option('--ip <address>', 'address that the request came from')
    .option('--country <code>', 'ISO 3166 alpha-2')
    .option('--user-agent <text>', 'user agent of the request')
    .option('--license-type <type>', 'a license that you vouch for')
    .option('--license-feature <feature>', 'a feature of that license; may be repeated', collect)
    .option('--explain', 'show every rule, and what would have changed a denial')
    .option('--dry-run', 'record nothing, use no quota')
    .option('--as-of <time>', 'decide as of a time in the past; with --dry-run');
  examples(
    command,
    '$ postern check article-123 --requester gptbot --permission training --explain',
    '$ postern check article-123 --requester university --license-type research --dry-run',
    "$ postern check https://www.example.com/news/tides --user-agent 'GPTBot/1.2' --explain --dry-run",
    '$ postern check article-123 --country DE --json | jq .reason',
  );
  calls<Options>(command, context, async ({ postern, terminal }, options, content) => {
    const decision = await postern.checkAccess(toCheck(content, options));
    await print(terminal, options, decision, () => toText(terminal, decision));
    return decision.allowed ? EXIT.ok : EXIT.denied;
  });
}

function toCheck(content: string, options: Options): Check {
  const { requester, permission, purpose, ip, country, userAgent, licenseType, licenseFeature } = options;
  const context = { ip, country, userAgent };
  if (licenseFeature !== undefined && licenseType === undefined) {
    throw misused('--license-feature is of the license that you vouch for; add --license-type.');
  }
  return {
    ...(/^https?:\/\//i.test(content) ? { url: content } : { contentId: content }),
    requesterId: requester,
    permission,
    purpose,
    ...(Object.values(context).some((value) => value !== undefined) ? { context } : {}),
    ...(licenseType === undefined ? {} : { license: { type: licenseType, features: licenseFeature } }),
    explain: options.explain,
    dryRun: options.dryRun,
    asOf: options.asOf,
  };
}

function toText(terminal: Terminal, decision: AccessDecision): string {
  const head = decision.allowed
    ? paint(terminal, ['green', 'bold'], '✓ allowed')
    : paint(terminal, ['red', 'bold'], `✗ denied: ${plain(String(decision.reason))}`);
  const lines = detailRows(decision).map(([name, text]) => `  ${name.padEnd(10)}  ${plain(text)}`);
  const explanation = decision.explanation as Explanation | null | undefined;
  return `${[head, ...lines, ...explanationLines(terminal, explanation), ...remedyLines(decision)].join('\n')}\n`;
}

function detailRows(decision: AccessDecision): [string, string][] {
  const { message, permissions, matchedRule, recorded, mode } = decision;
  const decidedBy = matchedRule === null ? 'default action' : `rules[${matchedRule.index}]`;
  const policy = `${decision.policyId ?? 'the rules sent'}, version ${decision.policyVersion ?? 'none'}`;
  return [
    ['message', message],
    decision.contentId === null
      ? ['url', `${decision.url}, in the collection ${decision.collectionId}`]
      : ['item', `${decision.externalId} (${decision.contentId})`],
    ['requester', requesterText(decision)],
    ...(decision.enforced ? [] : [['enforced', 'no, the collection only observes'] as [string, string]]),
    ['grants', permissions.join(', ') || 'nothing'],
    ...limitRows(decision),
    ['decided by', `${decidedBy} of ${policy}`],
    ['recorded', recorded ? `as ${decision.id}${mode === 'test' ? ', apart, as a test' : ''}` : 'no'],
  ];
}

function limitRows({ rateLimit, quota }: AccessDecision): [string, string][] {
  const rows: [string, string][] = [];
  if (rateLimit !== null) {
    const { limit, remaining, period, resetAt } = rateLimit;
    rows.push(['limit', `${remaining} of ${limit} per ${period} left, until ${resetAt}`]);
  }
  if (quota !== null) {
    const { units, remaining, period, resetAt } = quota;
    const until = resetAt === null ? '' : `, until ${resetAt}`;
    rows.push(['quota', `${remaining} of ${units} units per ${period} left${until}`]);
  }
  return rows;
}

const requesterText = ({ requesterId, crawler, verified }: AccessDecision): string =>
  [
    requesterId ?? 'anonymous',
    ...(verified === null ? [] : [`verified by ${verified}`]),
    ...(crawler === null ? [] : [`its user agent names ${crawler}`]),
  ].join(', ');

function explanationLines(terminal: Terminal, explanation: Explanation | null | undefined): string[] {
  if (explanation === undefined) return [];
  if (explanation === null) return ['', 'Only keys with policies:read see the rules.'];
  const rules = explanation.rules.flatMap((rule) => ruleLines(terminal, rule));
  return ['', 'Rules, in order:', ...rules, `  otherwise: ${explanation.defaultAction}`];
}

function ruleLines(terminal: Terminal, { index, action, decided, held, conditions }: RuleTrace): string[] {
  const mark = decided ? paint(terminal, 'bold', '●') : '○';
  const outcome = decided ? 'decides' : held ? 'would match' : 'does not match';
  return [
    `  ${mark} rules[${index}] ${action}: ${outcome}`,
    ...conditions.map((condition) => `      ${conditionText(terminal, condition)}`),
  ];
}

function conditionText(terminal: Terminal, condition: RuleTrace['conditions'][number]): string {
  const { key, expected, actual, unknown, withheld, held } = condition;
  const sign = held ? paint(terminal, 'green', '✓') : paint(terminal, 'red', '✗');
  // A catch-all compares nothing.
  if (key === 'default') return `${sign} default`;
  const missing = withheld !== undefined ? `hidden without ${withheld}` : unknown === true ? 'unknown' : 'none';
  const found = actual === undefined || actual === null ? missing : JSON.stringify(actual);
  return `${sign} ${plain(`${key}: expects ${JSON.stringify(expected)}, is ${found}`)}`;
}

function remedyLines({ remedies = [] }: AccessDecision): string[] {
  if (remedies.length === 0) return [];
  return ['', 'What would allow it:', ...remedies.map((remedy) => `  → ${plain(remedyText(remedy))}`)];
}

function remedyText(remedy: NonNullable<AccessDecision['remedies']>[number]): string {
  if (remedy.kind === 'wait') return `waiting until ${remedy.until}`;
  if (remedy.kind === 'amend') return 'more units in the terms of the license';
  if (remedy.kind === 'permission') return `another permission: ${remedy.permissions.join(' or ')}`;
  if (remedy.kind === 'verification') return `proof of its name, by ${remedy.verified.join(' or ')}`;
  const { licenseType, licenseFeatures } = remedy;
  const features = licenseFeatures.length > 0 ? ` with ${licenseFeatures.join(', ')}` : '';
  return `a valid license${licenseType === null ? '' : ` of type ${licenseType.join(' or ')}`}${features}`;
}
