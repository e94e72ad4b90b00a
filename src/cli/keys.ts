/** `postern keys`: API keys. A new key goes to stdout, once; nothing else shows it. */
import { type Command, Option } from 'commander';
import { KEY_TYPES } from '../keys/key.ts';
import { PERMISSIONS } from '../permissions.ts';
import { type Context, collect, does, examples } from './command.ts';
import { type Answer, connect } from './connection.ts';
import { EXIT } from './outcome.ts';
import { agreed } from './prompts.ts';
import { json, table } from './terminal.ts';

interface Create {
  type: string;
  permission?: string[];
  allowIp?: string[];
  expires?: string;
}

export function keysCommand(parent: Command, context: Context): void {
  const { terminal } = context;
  const group = parent.command('keys').description('API keys: list, create, rotate, revoke.');

  const list = examples(group.command('list').description('Lists the keys, the newest first.'), '$ postern keys list');
  does(list, context, async (options) => {
    const connection = await connect(terminal, options);
    const keys: Answer[] = await Array.fromAsync(connection.each('/v1/api-keys'));
    const rows = keys.map((key) => [
      key.id,
      key.name,
      key.prefix,
      key.permissions.join(' '),
      day(key.expiresAt),
      day(key.lastUsedAt),
    ]);
    const heads = ['id', 'name', 'begins', 'permissions', 'expires', 'last used'];
    await terminal.out(options.json === true ? json(keys) : table(terminal, heads, rows));
    return EXIT.ok;
  });

  const create = group
    .command('create')
    .argument('<name>')
    .description('Makes a key and writes it to stdout, once. The rest is said on stderr.')
    .addOption(new Option('--type <type>').choices([...KEY_TYPES]).default('secret'))
    .addOption(
      new Option(
        '--permission <permission>',
        `may be repeated; one of ${Object.keys(PERMISSIONS).join(', ')} (default: * for a secret key, content:read for a public one)`,
      ).argParser(collect),
    )
    .option('--allow-ip <range>', 'address or CIDR range it may be used from; may be repeated', collect)
    .option('--expires <moment>', 'when it stops working');
  examples(
    create,
    '$ postern keys create "Web server" --permission access:check > web-server.key',
    '$ postern keys create Reports --permission analytics:read --allow-ip 10.0.0.0/8 --expires 2027-12-31T00:00:00Z',
  );
  does<Create>(create, context, async ({ type, permission, allowIp, expires, ...options }, name) => {
    const connection = await connect(terminal, options);
    const body = { name, type, permissions: permission, allowedIps: allowIp, expiresAt: expires };
    const made = await connection.ask('POST', '/v1/api-keys', { body });
    terminal.err(`${made.id} with ${made.permissions.join(', ')}. The key is shown this once.\n`);
    await terminal.out(options.json === true ? json(made) : `${made.key}\n`);
    return EXIT.ok;
  });

  const rotate = group
    .command('rotate')
    .argument('<id>')
    .description('Makes a new key in the place of another and writes it to stdout, once.')
    .option('--grace <seconds>', 'how long the old one goes on working, up to 604800', '0');
  examples(rotate, '$ postern keys rotate key_… --grace 3600 > web-server.key');
  does<{ grace: string }>(rotate, context, async ({ grace, ...options }, id) => {
    const connection = await connect(terminal, options);
    const body = { graceSeconds: Number(grace) };
    const made = await connection.ask('POST', `/v1/api-keys/${encodeURIComponent(id ?? '')}/rotate`, { body });
    terminal.err(`${made.id} takes the place of ${id}. The key is shown this once.\n`);
    await terminal.out(options.json === true ? json(made) : `${made.key}\n`);
    return EXIT.ok;
  });

  const revoke = group
    .command('revoke')
    .argument('<id>')
    .description('Makes a key stop working at once.')
    .option('--yes', 'do not ask');
  examples(revoke, '$ postern keys revoke key_…');
  does<{ yes?: boolean }>(revoke, context, async ({ yes, ...options }, id) => {
    const connection = await connect(terminal, options);
    const path = `/v1/api-keys/${encodeURIComponent(id ?? '')}`;
    const key = await connection.ask('GET', path);
    if (!(await agreed(terminal, `Revoke ${key.name} (${key.prefix}…)?`, yes))) return EXIT.failed;
    const answer = await connection.ask('DELETE', path);
    if (options.json === true) await terminal.out(json(answer));
    else terminal.err(`${id} is revoked.\n`);
    return EXIT.ok;
  });
}

const day = (moment: string | null): string | null => moment?.slice(0, 10) ?? null;
