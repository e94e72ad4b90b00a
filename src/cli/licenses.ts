/** `postern licenses`: give, list, edit and revoke what requesters hold. */
import type { Command } from 'commander';
import { type Context, collect, does, examples } from './command.ts';
import { type Answer, connect } from './connection.ts';
import { EXIT, misused } from './outcome.ts';
import { agreed } from './prompts.ts';
import { json, table } from './terminal.ts';

interface Fields {
  type?: string;
  feature?: string[];
  content?: string[];
  contentType?: string[];
  tag?: string[];
  policy?: string[];
  starts?: string;
  expires?: string;
}

export function licensesCommand(parent: Command, context: Context): void {
  const { terminal } = context;
  const group = parent.command('licenses').description('Licences: list, create, edit, revoke.');

  const list = group
    .command('list')
    .description('Lists licences, the newest first.')
    .option('--requester <id>', 'only of this requester')
    .option('--type <type>', 'only of this type')
    .option('--expires-before <moment>', 'only those that end before');
  examples(
    list,
    '$ postern licenses list --requester university',
    '$ postern licenses list --expires-before 2027-01-01T00:00:00Z',
  );
  does<{ requester?: string; type?: string; expiresBefore?: string }>(list, context, async (options) => {
    const connection = await connect(terminal, options);
    const { requester, type, expiresBefore } = options;
    const found = connection.each('/v1/licenses', { requesterId: requester, type, expiresBefore });
    const licenses: Answer[] = await Array.fromAsync(found);
    const rows = licenses.map((one) => [
      one.id,
      one.requesterId,
      one.type,
      one.features.join(' '),
      one.valid ? 'valid' : one.status === 'active' ? 'not now' : one.status,
      one.expiresAt?.slice(0, 10),
    ]);
    const heads = ['id', 'requester', 'type', 'features', 'state', 'expires'];
    await terminal.out(options.json === true ? json(licenses) : table(terminal, heads, rows));
    return EXIT.ok;
  });

  const create = withFields(
    group
      .command('create')
      .argument('<requester>', 'id of who holds it')
      .description('Gives a requester a licence: for everything, or for what the scope options say.')
      .requiredOption('--type <type>', 'as conditions name it'),
  );
  examples(
    create,
    '$ postern licenses create university --type research --expires 2027-12-31T00:00:00Z',
    '$ postern licenses create gptbot --type commercial --feature training --tag archive',
  );
  does<Fields>(create, context, async (options, requesterId) => {
    const connection = await connect(terminal, options);
    const made = await connection.ask('POST', '/v1/licenses', { body: { requesterId, ...fieldsOf(options) } });
    await terminal.out(options.json === true ? json(made) : `${made.id}\n`);
    return EXIT.ok;
  });

  const edit = withFields(
    group
      .command('edit')
      .argument('<id>')
      .description(
        'Changes what is given and leaves the rest, such as when a licence is renewed. A list that is given replaces the one there was, and scope options replace the whole scope.',
      )
      .option('--type <type>', 'as conditions name it'),
  );
  examples(
    edit,
    '$ postern licenses edit lic_… --expires 2028-12-31T00:00:00Z',
    '$ postern licenses edit lic_… --expires never',
  );
  does<Fields>(edit, context, async (options, id) => {
    const body = fieldsOf(options);
    if (Object.values(body).every((one) => one === undefined)) throw misused('Say what to change: see --help.');
    const connection = await connect(terminal, options);
    const edited = await connection.ask('PATCH', pathOf(id), { body });
    if (options.json === true) await terminal.out(json(edited));
    else terminal.err(`${edited.id} is changed, and ${edited.valid ? 'valid' : 'not valid now'}.\n`);
    return EXIT.ok;
  });

  const revoke = group
    .command('revoke')
    .argument('<id>')
    .description('Takes a licence away, for good.')
    .option('--yes', 'do not ask');
  examples(revoke, '$ postern licenses revoke lic_…');
  does<{ yes?: boolean }>(revoke, context, async ({ yes, ...options }, id) => {
    const connection = await connect(terminal, options);
    const license = await connection.ask('GET', pathOf(id));
    if (!(await agreed(terminal, `Revoke the ${license.type} licence of ${license.requesterId}?`, yes)))
      return EXIT.failed;
    const answer = await connection.ask('POST', `${pathOf(id)}/revoke`);
    if (options.json === true) await terminal.out(json(answer));
    else terminal.err(`${id} is revoked.\n`);
    return EXIT.ok;
  });
}

const withFields = (command: Command): Command =>
  command
    .option('--feature <feature>', 'may be repeated', collect)
    .option('--content <id>', 'scope: this item; may be repeated', collect)
    .option('--content-type <type>', 'scope: items of this type; may be repeated', collect)
    .option('--tag <tag>', 'scope: items with this tag; may be repeated', collect)
    .option('--policy <id>', 'scope: items under this policy; may be repeated', collect)
    .option('--starts <moment>', 'from then on; "always": since ever')
    .option('--expires <moment>', 'until then; "never": without end');

function fieldsOf({ type, feature, content, contentType, tag, policy, starts, expires }: Fields) {
  const scope = { contentIds: content, contentTypes: contentType, tags: tag, policyIds: policy };
  const scoped = Object.values(scope).some((one) => one !== undefined);
  return {
    type,
    features: feature,
    scope: scoped ? scope : undefined,
    startsAt: starts === 'always' ? null : starts,
    expiresAt: expires === 'never' ? null : expires,
  };
}

const pathOf = (id = ''): string => `/v1/licenses/${encodeURIComponent(id)}`;
