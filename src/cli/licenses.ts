/** `postern licenses`: creates, lists, edits and revokes the licenses of requesters. */
import type { Command } from 'commander';
import type { Body } from '../../client/src/types.ts';
import { plain } from '../lib/terminal-text.ts';
import { type CommandContext, calls, collect, does, examples, idArgument, requireFields } from './command.ts';
import { connect } from './connection.ts';
import { EXIT, misused } from './outcome.ts';
import { confirmed } from './prompts.ts';
import { readTextOrInput } from './read-file.ts';
import { print, printList, report } from './terminal.ts';
import { toEnd, toLastDay, toStart } from './time.ts';

type NewLicense = Body<'createLicense'>;
type Scope = NonNullable<NewLicense['scope']>;

export function licensesCommand(parent: Command, context: CommandContext): void {
  const group = parent.command('licenses').description('Licenses: list, create, edit, revoke; their terms.');
  listCommand(group, context);
  createCommand(group, context);
  editCommand(group, context);
  revokeCommand(group, context);
  termsCommand(group, context);
}

interface Filter {
  requester?: string;
  type?: string;
  expiresBefore?: string;
}

function listCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('list')
    .description('Lists licenses, newest first.')
    .option('--requester <id>', 'only licenses of this requester')
    .option('--type <type>', 'only licenses of this type')
    .option('--expires-before <day>', 'only licenses that end before this day or time');
  examples(
    command,
    '$ postern licenses list --requester university',
    '$ postern licenses list --expires-before 2027-01-01',
  );
  calls<Filter>(command, context, async ({ postern, terminal }, options) => {
    const { requester: requesterId, type, expiresBefore: before } = options;
    const expiresBefore = before === undefined ? undefined : toStart('--expires-before', before);
    const licenses = await Array.fromAsync(postern.listLicenses({ requesterId, type, expiresBefore, limit: 100 }));
    await printList(terminal, options, licenses, {
      id: ({ id }) => id,
      requester: ({ requesterId: holder }) => holder,
      type: ({ type: kind }) => kind,
      features: ({ features }) => features.join(' '),
      scope: ({ scope }) => (scope === null ? 'everything' : scopeText(scope)),
      state: ({ valid, status }) => (valid ? 'valid' : status === 'active' ? 'not valid now' : status),
      'last day': ({ expiresAt }) => toLastDay(expiresAt),
    });
  });
}

const scopeText = (scope: Scope): string =>
  Object.entries(scope)
    .map(([name, values]) => `${SCOPES[name as keyof Scope]} ${formatFirst(values)}`)
    .join('; ');

const SHOWN = 3;

const formatFirst = (values: readonly string[]): string =>
  values.length === 0
    ? 'none'
    : values.length > SHOWN
      ? `${values.slice(0, SHOWN).join(', ')} and ${values.length - SHOWN} more`
      : values.join(', ');

const SCOPES: Record<keyof Scope, string> = {
  contentIds: 'items',
  contentTypes: 'types',
  tags: 'tags',
  policyIds: 'policies',
  collectionIds: 'collections',
};

function createCommand(parent: Command, context: CommandContext): void {
  const command = addFields(
    parent
      .command('create')
      .argument('<requester>', 'id of the requester who holds it')
      .description('Creates a license for a requester: for all content, or for the scope that options set.')
      .requiredOption('--type <type>', 'type, as conditions name it'),
  );
  examples(
    command,
    '$ postern licenses create university --type research --expires 2027-12-31',
    '$ postern licenses create gptbot --type commercial --feature training --tag archive',
    '$ postern licenses create acme --type commercial --terms contract-12.json',
  );
  calls<Fields & { type: string }>(command, context, async ({ postern, terminal }, options, requesterId = '') => {
    const license = await postern.createLicense({ requesterId, type: options.type, ...toBody(options) });
    await print(terminal, options, license, () => `${license.id}\n`);
  });
}

function editCommand(parent: Command, context: CommandContext): void {
  const command = addFields(
    parent
      .command('edit')
      .addArgument(idArgument())
      .description(
        'Changes the given fields and keeps the others, for example to renew a license. A list replaces the old list; scope options replace the whole scope.',
      )
      .option('--type <type>', 'type, as conditions name it')
      .option('--effective <when>', 'when new terms take effect: "next_period" (the default) or "now"', toEffective),
  );
  examples(
    command,
    '$ postern licenses edit lic_… --expires 2028-12-31',
    '$ postern licenses edit lic_… --expires never',
    '$ postern licenses edit lic_… --terms contract-12.json --effective now',
  );
  does<Fields & { type?: string; effective?: Effective }>(command, context, async (options, id = '') => {
    const { terminal } = context;
    const body = { type: options.type, ...toBody(options), effective: options.effective };
    requireFields(body);
    const postern = await connect(terminal, options);
    const license = await postern.updateLicense(id, body);
    const state = license.valid ? 'valid' : 'not valid now';
    for (const { message } of license.warnings ?? []) terminal.err(`Warning: ${plain(message)}\n`);
    await report(terminal, options, license, `${license.id} is updated, and ${state}.\n`);
  });
}

function revokeCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('revoke')
    .addArgument(idArgument())
    .description('Revokes a license permanently.')
    .option('--yes', 'skip the confirmation');
  examples(command, '$ postern licenses revoke lic_…');
  calls<{ yes?: boolean }>(command, context, async ({ postern, terminal }, options, id = '') => {
    const { type, requesterId } = await postern.getLicense(id);
    if (!(await confirmed(terminal, `Revoke the ${type} license of ${requesterId}?`, options.yes))) return EXIT.failed;
    await report(terminal, options, await postern.revokeLicense(id), `${id} is revoked.\n`);
    return EXIT.ok;
  });
}

function termsCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('terms')
    .addArgument(idArgument())
    .description('Lists the versions of the terms of a license, newest first.');
  examples(command, '$ postern licenses terms lic_…', '$ postern licenses terms lic_… --json');
  calls(command, context, async ({ postern, terminal }, options, id = '') => {
    const versions = await Array.fromAsync(postern.listLicenseTerms(id, { limit: 100 }));
    await printList(terminal, options, versions, {
      version: ({ version }) => version,
      state: ({ state }) => state,
      from: ({ effectiveFrom }) => effectiveFrom,
      to: ({ effectiveTo }) => effectiveTo,
      billed: ({ terms }) =>
        terms && `per ${terms.period}, ${terms.timezone}${terms.prorate === true ? ', prorated' : ''}`,
      tiers: ({ terms }) => terms && `${terms.tiers.length} in ${terms.currency}`,
    });
  });
}

type Effective = NonNullable<Body<'updateLicense'>['effective']>;

function toEffective(text: string): Effective {
  if (text === 'now' || text === 'next_period') return text;
  throw misused('--effective must be "now" or "next_period".');
}

interface Fields {
  terms?: NewLicense['terms'];
  feature?: string[];
  content?: string[];
  contentType?: Scope['contentTypes'];
  tag?: string[];
  policy?: string[];
  collection?: string[];
  starts?: string;
  expires?: string;
}

const addFields = (command: Command): Command =>
  command
    .option('--feature <feature>', 'may be repeated', collect)
    .option('--content <id>', 'scope: this item; may be repeated', collect)
    .option('--content-type <type>', 'scope: items of this type; may be repeated', collect)
    .option('--tag <tag>', 'scope: items with this tag; may be repeated', collect)
    .option('--policy <id>', 'scope: items under this policy; may be repeated', collect)
    .option('--collection <id>', 'scope: what is decided by this collection; may be repeated', collect)
    .option('--terms <file>', 'terms, as a JSON file ("-": standard input); "none" ends them', readTerms)
    .option('--starts <day>', 'first day (UTC), or a time; "always" removes the start')
    .option('--expires <day>', 'last day (UTC), included, or a time; "never" removes the end');

function readTerms(file: string): NewLicense['terms'] {
  if (file === 'none') return null;
  const text = readTextOrInput(file);
  try {
    return JSON.parse(text) as NewLicense['terms'];
  } catch (error) {
    throw misused(`${file} holds no terms in JSON: ${(error as Error).message}.`);
  }
}

function toBody({ feature, content, contentType, tag, policy, collection, ...rest }: Fields) {
  const { starts, expires, terms } = rest;
  const scope: Scope = {
    contentIds: content,
    contentTypes: contentType,
    tags: tag,
    policyIds: policy,
    collectionIds: collection,
  };
  return {
    terms,
    features: feature,
    scope: Object.values(scope).some((list) => list !== undefined) ? scope : undefined,
    startsAt: starts === undefined ? undefined : starts === 'always' ? null : toStart('--starts', starts),
    expiresAt: expires === undefined ? undefined : expires === 'never' ? null : toEnd('--expires', expires),
  };
}
