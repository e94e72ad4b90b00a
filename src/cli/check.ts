/** `postern check`: asks for a decision and shows it, with `--explain` rule by rule. Ends with 0 for yes and 3 for no. */
import type { Command } from 'commander';
import { type Context, collect, does, examples } from './command.ts';
import { type Answer, connect } from './connection.ts';
import { EXIT } from './outcome.ts';
import { json, paint, plain, type Terminal } from './terminal.ts';

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

export function checkCommand(parent: Command, context: Context): void {
  const command = parent
    .command('check')
    .argument('<content>', 'id or externalId of the item')
    .description(
      'Asks whether a requester may have an item. Ends with 0 when it may, with 3 when it may not. The decision is recorded and counts, unless --dry-run is given.',
    )
    .option('--requester <id>', 'who asks; anonymous without it')
    .option('--permission <permission>', 'what is wanted, such as training')
    .option('--purpose <purpose>', 'what for')
    .option('--ip <address>', 'where the request came from')
    .option('--country <code>', 'ISO 3166 alpha-2')
    .option('--user-agent <text>', 'what it called itself')
    .option('--license-type <type>', 'a licence you vouch for')
    .option('--license-feature <feature>', 'a feature of that licence; may be repeated', collect)
    .option('--explain', 'show every rule, and what would have turned a denial')
    .option('--dry-run', 'record nothing, use up nothing')
    .option('--as-of <moment>', 'decide as of a past moment; with --dry-run');
  examples(
    command,
    '$ postern check article-123 --requester gptbot --permission training --explain',
    '$ postern check article-123 --requester university --license-type research --dry-run',
    '$ postern check article-123 --country DE --json | jq .reason',
  );
  does<Options>(command, context, async (options, content) => {
    const { terminal } = context;
    const connection = await connect(terminal, options);
    const decision = await connection.ask('POST', '/v1/access/check', { body: bodyOf(content as string, options) });
    await terminal.out(options.json === true ? json(decision) : readable(terminal, decision));
    return decision.allowed ? EXIT.ok : EXIT.denied;
  });
}

function bodyOf(contentId: string, options: Options): object {
  const { requester, permission, purpose, ip, country, userAgent, licenseType, licenseFeature } = options;
  const context = { ip, country, userAgent };
  return {
    contentId,
    requesterId: requester,
    permission,
    purpose,
    ...(Object.values(context).some((one) => one !== undefined) ? { context } : {}),
    ...(licenseType === undefined ? {} : { license: { type: licenseType, features: licenseFeature } }),
    explain: options.explain,
    dryRun: options.dryRun,
    asOf: options.asOf,
  };
}

function readable(terminal: Terminal, decision: Answer): string {
  const { allowed, reason, message, permissions, matchedRule, rateLimit, recorded } = decision;
  const head = allowed
    ? paint(terminal, ['green', 'bold'], '✓ allowed')
    : paint(terminal, ['red', 'bold'], `✗ denied: ${plain(String(reason))}`);
  const decidedBy = matchedRule === null ? 'default action' : `rules[${matchedRule.index}]`;
  const rows: [string, string][] = [
    ['message', message],
    ['item', `${decision.externalId} (${decision.contentId})`],
    ['requester', decision.requesterId ?? 'anonymous'],
    ['grants', permissions.join(', ') || 'nothing'],
    [
      'decided by',
      `${decidedBy} of ${decision.policyId ?? 'the rules sent'}, version ${decision.policyVersion ?? 'none'}`,
    ],
    ['recorded', recorded ? `as ${decision.id}` : 'no'],
  ];
  if (rateLimit !== null) rows.splice(4, 0, ['limit', limitOf(rateLimit)]);
  const lines = rows.map(([name, text]) => `  ${name.padEnd(10)}  ${plain(text)}`);
  return `${[head, ...lines, ...explained(terminal, decision), ...remedied(decision)].join('\n')}\n`;
}

const limitOf = ({ limit, remaining, period, resetAt }: Answer): string =>
  `${remaining} of ${limit} a ${period} left, until ${resetAt}`;

function explained(terminal: Terminal, { explanation }: Answer): string[] {
  if (explanation === undefined) return [];
  const rules: Answer[] = explanation.rules;
  const last = `  and else: ${explanation.defaultAction}`;
  return ['', 'Rules, in the order they are asked:', ...rules.flatMap((rule) => ruleLines(terminal, rule)), last];
}

function ruleLines(terminal: Terminal, rule: Answer): string[] {
  const mark = rule.decided ? paint(terminal, 'bold', '●') : '○';
  const says = rule.decided ? 'decides' : rule.held ? 'would hold' : 'does not hold';
  return [
    `  ${mark} rules[${rule.index}] ${rule.action}: ${says}`,
    ...(rule.conditions as Answer[]).map(({ key, expected, actual, held }) => {
      const sign = held ? paint(terminal, 'green', '✓') : paint(terminal, 'red', '✗');
      const found = actual === undefined || actual === null ? 'not known' : JSON.stringify(actual);
      // A catch-all asks nothing of the check.
      if (key === 'default') return `      ${sign} default`;
      return `      ${sign} ${plain(`${key}: wants ${JSON.stringify(expected)}, is ${found}`)}`;
    }),
  ];
}

function remedied({ remedies }: Answer): string[] {
  if (remedies === undefined || remedies.length === 0) return [];
  return ['', 'What would have turned it:', ...(remedies as Answer[]).map((one) => `  → ${plain(remedyOf(one))}`)];
}

function remedyOf({ kind, licenseType, licenseFeatures, permissions, until }: Answer): string {
  if (kind === 'wait') return `wait until ${until}`;
  if (kind === 'permission') return `ask for one of: ${permissions.join(', ') || 'nothing is granted'}`;
  const features = licenseFeatures.length > 0 ? ` with ${licenseFeatures.join(', ')}` : '';
  return `a valid licence${licenseType === null ? '' : ` of type ${licenseType.join(' or ')}`}${features}`;
}
