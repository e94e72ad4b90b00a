/**
 * `postern webhooks listen`: receives deliveries on this machine, checks their signatures and shows them. It can make the
 * webhook for as long as it listens; the service must then be allowed to call private addresses.
 */
import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Command } from 'commander';
import { sign } from '../webhooks/sign.ts';
import { type Context, collect, does, examples } from './command.ts';
import { type Connection, connect } from './connection.ts';
import { EXIT, failed, misused } from './outcome.ts';
import { paint, plain, type Terminal } from './terminal.ts';

interface Options {
  port: string;
  create?: boolean;
  event?: string[];
}

export function webhooksCommand(parent: Command, context: Context): void {
  const group = parent.command('webhooks').description('Webhooks: listen on this machine.');
  const listen = group
    .command('listen')
    .description(
      'Receives deliveries on this machine, verifies them and shows them, until Ctrl-C. The secret comes from POSTERN_WEBHOOK_SECRET or the file that POSTERN_WEBHOOK_SECRET_FILE names; with --create a webhook is made, and deleted in the end.',
    )
    .option('--port <port>', 'port to listen on; 0 takes a free one', '0')
    .option('--create', 'make a webhook that leads here; the service needs POSTERN_WEBHOOK_ALLOW_PRIVATE=true')
    .option(
      '--event <kind>',
      'with --create: kinds to receive, such as content.*; may be repeated (default: *)',
      collect,
    );
  examples(
    listen,
    '$ postern webhooks listen --create --event content.* --event license.*',
    '$ POSTERN_WEBHOOK_SECRET_FILE=webhook.secret postern webhooks listen --port 9000 --json',
  );
  does<Options>(listen, context, async (options) => {
    const { terminal } = context;
    const { signal } = terminal;
    if (options.create !== true && options.event !== undefined) throw misused('--event goes with --create.');
    let secret = options.create === true ? undefined : secretFrom(terminal);
    const connection = options.create === true ? await connect(terminal, options) : undefined;
    const server = createServer((request, response) => {
      bodyOf(request).then(
        async (body) => {
          const fault = faultOf(request, body, secret, terminal.now());
          response.writeHead(fault === undefined ? 204 : 401).end();
          await terminal.out(shown(terminal, request, body, fault, options.json === true));
        },
        () => response.destroy(),
      );
    });
    server.listen(Number(options.port), '127.0.0.1');
    await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
      throw failed(`Port ${options.port} cannot be listened on (${error.code}).`);
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    try {
      if (connection !== undefined) {
        const body = { url, events: options.event ?? ['*'], description: 'postern webhooks listen' };
        const webhook = await connection.ask('POST', '/v1/webhooks', { body });
        secret = webhook.secret;
        terminal.err(`Webhook ${webhook.id} leads to ${url}; Ctrl-C deletes it.\n`);
        await until(signal);
        await removeWebhook(terminal, webhook.id, connection);
      } else {
        terminal.err(`Listening on ${url}; Ctrl-C ends.\n`);
        await until(signal);
      }
    } finally {
      server.closeAllConnections();
      server.close();
    }
    return EXIT.ok;
  });
}

const until = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, 'abort');
};

function secretFrom({ env }: Terminal): string {
  const file = env.POSTERN_WEBHOOK_SECRET_FILE;
  const secret = file === undefined ? env.POSTERN_WEBHOOK_SECRET : readFileSync(file, 'utf8').trim();
  if (secret?.startsWith('whsec_') === true) return secret;
  throw misused('Set POSTERN_WEBHOOK_SECRET to the secret of the webhook (whsec_…), or let --create make one.');
}

/** Ctrl-C has been pressed by then. */
async function removeWebhook(terminal: Terminal, id: string, connection: Connection): Promise<void> {
  await connection.ask('DELETE', `/v1/webhooks/${id}`, { signal: AbortSignal.timeout(10_000) });
  terminal.err(`Webhook ${id} is deleted.\n`);
}

const BODY_BYTES_MAX = 16 << 20;

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) throw new Error('too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

const TOLERANCE_MS = 5 * 60_000;

/** Why a delivery cannot be trusted; undefined when it can (Standard Webhooks 1.0). */
function faultOf(
  { headers }: IncomingMessage,
  body: string,
  secret: string | undefined,
  now: number,
): string | undefined {
  const id = headers['webhook-id'];
  const timestamp = Number(headers['webhook-timestamp']);
  const signatures = String(headers['webhook-signature'] ?? '').split(' ');
  if (typeof id !== 'string' || !Number.isInteger(timestamp)) return 'it is not signed';
  if (secret === undefined) return 'the secret is not known yet';
  if (Math.abs(now - timestamp * 1000) > TOLERANCE_MS) return 'its time is more than five minutes from now';
  const expected = Buffer.from(sign([secret], id, timestamp * 1000, body));
  const matches = (one: string): boolean => {
    const given = Buffer.from(one);
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
  return signatures.some(matches) ? undefined : 'its signature is not made with this secret';
}

function shown(
  terminal: Terminal,
  request: IncomingMessage,
  body: string,
  fault: string | undefined,
  asJson: boolean,
): string {
  let event: { type?: string; created?: string } | undefined;
  try {
    event = JSON.parse(body);
  } catch {
    // Told as it is.
  }
  if (asJson)
    return `${JSON.stringify({ verified: fault === undefined, ...(fault === undefined ? {} : { fault }), event: event ?? body })}\n`;
  const head = fault === undefined ? paint(terminal, 'green', '✓') : paint(terminal, 'red', '✗');
  const why = fault === undefined ? '' : `: ${fault}`;
  const id = String(request.headers['webhook-id'] ?? '');
  const text = event === undefined ? plain(body) : JSON.stringify(event, null, 2).replaceAll(/^/gm, '  ');
  return `${head} ${plain(`${event?.type ?? 'no event'}  ${id}${why}`)}\n${text}\n`;
}
