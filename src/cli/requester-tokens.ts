/** `postern requesters tokens`: manages the tokens of requesters. A new token is written to stdout once. */
import type { Command } from 'commander';
import type { Answered } from '../../client/src/types.ts';
import { type CommandContext, type Common, calls, examples, idArgument, toId } from './command.ts';
import { EXIT } from './outcome.ts';
import { confirmed } from './prompts.ts';
import { print, printList, report, type Terminal } from './terminal.ts';
import { toDay, toEnd, toLastDay } from './time.ts';

export function tokensCommand(parent: Command, context: CommandContext): void {
  const group = parent
    .command('tokens')
    .description('Tokens by which a requester proves who it is: list, create, rotate, revoke.');
  listCommand(group, context);
  createCommand(group, context);
  rotateCommand(group, context);
  revokeCommand(group, context);
}

function listCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('list')
    .addArgument(idArgument('id of the requester'))
    .description('Lists the tokens of a requester, newest first.');
  examples(command, '$ postern requesters tokens list university');
  calls(command, context, async ({ postern, terminal }, options, id = '') => {
    const tokens = await Array.fromAsync(postern.listRequesterTokens(id, { limit: 100 }));
    await printList(terminal, options, tokens, {
      id: (token) => token.id,
      name: ({ name }) => name,
      begins: ({ prefix }) => prefix,
      'last day': ({ expiresAt }) => toLastDay(expiresAt),
      'last used': ({ lastUsedAt }) => toDay(lastUsedAt),
    });
  });
}

function createCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('create')
    .addArgument(idArgument('id of the requester'))
    .argument('<name>')
    .description('Creates a token and writes it to stdout, once. Everything else goes to stderr.')
    .option('--expires <day>', 'last day (UTC) on which it works, or the time at which it stops');
  examples(command, '$ postern requesters tokens create university Production --expires 2027-12-31 > token');
  calls<{ expires?: string }>(command, context, async ({ postern, terminal }, options, id = '', name = '') => {
    const expiresAt = options.expires === undefined ? undefined : toEnd('--expires', options.expires);
    const made = await postern.createRequesterToken(id, { name, expiresAt });
    terminal.err(`${made.id} of ${id}. The token is shown only once.\n`);
    await printToken(terminal, options, made);
  });
}

function rotateCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('rotate')
    .addArgument(idArgument('id of the requester'))
    .argument('<token-id>', 'id of the token', toId)
    .description('Creates a token that replaces another, and writes it to stdout, once.')
    .option('--grace <seconds>', 'how long the old token keeps working, up to 604800', '0');
  examples(command, '$ postern requesters tokens rotate university tok_… --grace 3600 > token');
  calls<{ grace: string }>(command, context, async ({ postern, terminal }, options, id = '', tokenId = '') => {
    const made = await postern.rotateRequesterToken(id, tokenId, { graceSeconds: Number(options.grace) });
    terminal.err(`${made.id} replaces ${tokenId}. The token is shown only once.\n`);
    await printToken(terminal, options, made);
  });
}

const printToken = (terminal: Terminal, options: Common, made: Answered<'createRequesterToken'>): Promise<void> =>
  print(terminal, options, made, () => `${made.token}\n`);

function revokeCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('revoke')
    .addArgument(idArgument('id of the requester'))
    .argument('<token-id>', 'id of the token', toId)
    .description('Revokes a token; it stops working at once.')
    .option('--yes', 'skip the confirmation');
  examples(command, '$ postern requesters tokens revoke university tok_…');
  calls<{ yes?: boolean }>(command, context, async ({ postern, terminal }, options, id = '', tokenId = '') => {
    const { name, prefix } = await postern.getRequesterToken(id, tokenId);
    if (!(await confirmed(terminal, `Revoke ${name} (${prefix}…)?`, options.yes))) return EXIT.failed;
    await report(terminal, options, await postern.revokeRequesterToken(id, tokenId), `${tokenId} is revoked.\n`);
    return EXIT.ok;
  });
}
