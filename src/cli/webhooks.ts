/**
 * `postern webhooks listen`: receives deliveries on this machine, verifies their signatures and shows them. With
 * --create it makes a webhook for as long as it listens; the service must then be allowed to call private addresses.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Command } from 'commander';
import { verifyWebhook, WebhookError } from '../../client/src/webhook.ts';
import { paint, plain } from '../lib/terminal-text.ts';
import { type CommandContext, type Common, collect, does, examples } from './command.ts';
import { connect } from './connection.ts';
import { failed, misused } from './outcome.ts';
import { readText } from './read-file.ts';
import { type Terminal } from './terminal.ts';

interface Options extends Common {
  port: string;
  create?: boolean;
  event?: string[];
}

export function webhooksCommand(parent: Command, context: CommandContext): void {
  const group = parent.command('webhooks').description('Webhooks: receive deliveries on this machine.');
  const listen = group
    .command('listen')
    .description(
      'Receives deliveries on this machine, verifies them and shows them, until Ctrl-C. The secret comes from POSTERN_WEBHOOK_SECRET or the file that POSTERN_WEBHOOK_SECRET_FILE names; --create makes a webhook and deletes it at the end.',
    )
    .option('--port <port>', 'port to listen on; 0 picks a free one', '0')
    .option('--create', 'create a webhook to this address; the service needs POSTERN_WEBHOOK_ALLOW_PRIVATE=true')
    .option(
      '--event <kind>',
      'with --create: kinds of events, such as content.*; may be repeated (default: *)',
      collect,
    );
  examples(
    listen,
    '$ postern webhooks listen --create --event content.* --event license.*',
    '$ POSTERN_WEBHOOK_SECRET_FILE=webhook.secret postern webhooks listen --port 9000 --json',
  );
  does<Options>(listen, context, async (options) => {
    const { terminal } = context;
    if (options.create === true) await listenWithWebhook(terminal, options);
    else await listenWithSecret(terminal, options);
  });
}

async function listenWithSecret(terminal: Terminal, options: Options): Promise<void> {
  if (options.event !== undefined) throw misused('--event needs --create.');
  const secret = readSecret(terminal);
  await using receiver = await openReceiver(terminal, options, () => secret);
  terminal.err(`Listening on ${receiver.url}; Ctrl-C ends.\n`);
  await interrupted(terminal);
}

async function listenWithWebhook(terminal: Terminal, options: Options): Promise<void> {
  const postern = await connect(terminal, options);
  let secret: string | undefined;
  await using receiver = await openReceiver(terminal, options, () => secret);
  const { url } = receiver;
  const webhook = await postern.createWebhook({
    url,
    events: options.event ?? ['*'],
    description: 'postern webhooks listen',
  });
  ({ secret } = webhook);
  terminal.err(`Webhook ${webhook.id} delivers to ${url}; Ctrl-C deletes it.\n`);
  await interrupted(terminal);
  // The signal of the connection is aborted by now.
  await postern.deleteWebhook(webhook.id, { signal: AbortSignal.timeout(10_000) });
  terminal.err(`Webhook ${webhook.id} is deleted.\n`);
}

async function interrupted({ signal }: Terminal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

function readSecret({ env }: Terminal): string {
  const file = env.POSTERN_WEBHOOK_SECRET_FILE;
  const named = 'the file that POSTERN_WEBHOOK_SECRET_FILE names';
  const secret = file === undefined ? env.POSTERN_WEBHOOK_SECRET : readText(file, named).trim();
  if (secret !== undefined && /^whsec_[A-Za-z0-9+/]{22,}={0,2}$/.test(secret)) return secret;
  throw misused(
    'Set POSTERN_WEBHOOK_SECRET to the secret of the webhook (whsec_…), or create a webhook with --create.',
  );
}

interface Receiver extends AsyncDisposable {
  url: string;
}

/** Shows what arrives. `getSecret` returns undefined until the webhook exists. */
async function openReceiver(
  terminal: Terminal,
  { port, json }: Options,
  getSecret: () => string | undefined,
): Promise<Receiver> {
  const server: Server = createServer((request, response) => {
    readBody(request).then(
      async (body) => {
        const fault = await findFault(request, body, getSecret(), terminal.now());
        response.writeHead(fault === undefined ? 204 : 401).end();
        const delivery = { id: String(request.headers['webhook-id'] ?? ''), body, fault };
        await terminal.out(json === true ? toJson(delivery) : toText(terminal, delivery));
      },
      () => response.destroy(),
    );
  });
  server.listen(Number(port), '127.0.0.1');
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw failed(`Cannot listen on port ${port} (${error.code}).`);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const BODY_BYTES_MAX = 16 << 20;

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new Error('too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Returns why a delivery cannot be trusted; undefined when it can. */
async function findFault(
  { headers }: IncomingMessage,
  body: string,
  secret: string | undefined,
  now: number,
): Promise<string | undefined> {
  if (secret === undefined) return 'secret_unknown';
  try {
    await verifyWebhook(body, headers, secret, { now });
    return undefined;
  } catch (error) {
    return error instanceof WebhookError ? error.reason : (error as Error).message;
  }
}

interface Delivery {
  id: string;
  body: string;
  fault: string | undefined;
}

function toJson({ body, fault }: Delivery): string {
  const event = parseEvent(body) ?? body;
  return `${JSON.stringify({ verified: fault === undefined, fault, event })}\n`;
}

function toText(terminal: Terminal, { id, body, fault }: Delivery): string {
  const event = parseEvent(body);
  const mark = fault === undefined ? paint(terminal, 'green', '✓') : paint(terminal, 'red', '✗');
  const head = `${event?.type ?? 'no event'}  ${id}${fault === undefined ? '' : `: ${fault}`}`;
  const text = event === undefined ? plain(body) : JSON.stringify(event, null, 2).replaceAll(/^/gm, '  ');
  return `${mark} ${plain(head)}\n${text}\n`;
}

function parseEvent(body: string): { type?: string } | undefined {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
