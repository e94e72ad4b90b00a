/**
 * How commands reach a service: its address from POSTERN_URL, the key from POSTERN_KEY, the file POSTERN_KEY_FILE names, or
 * a question, never from a flag. What may be repeated safely is repeated when the service is away or busy.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { CommandError, EXIT, failed, misused } from './outcome.ts';
import { plain, type Terminal } from './terminal.ts';

export const URL_DEFAULT = 'http://127.0.0.1:8080';
const ATTEMPTS = 5;
const WAIT_MAX_MS = 30_000;
const ANSWER_WITHIN_MS = 120_000;

/** A record as it came; commands look at the fields they show. */
// biome-ignore lint/suspicious/noExplicitAny: the shapes are the service's, and the tests run against it
export type Answer = any;

export interface Ask {
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  /** JSON that is a text already, instead of `body`. */
  raw?: string;
  headers?: Record<string, string>;
  /** Instead of Ctrl-C, for what has to be cleared away after it. */
  signal?: AbortSignal;
}

export interface Connection {
  url: string;
  /** The answer's body. Throws `Refused`, or a CommandError when nobody answers. */
  ask(method: string, path: string, ask?: Ask): Promise<Answer>;
  /** Every record of a list, page by page. */
  each(path: string, query?: Ask['query']): AsyncGenerator<Answer>;
  /** The bytes of an answer as they come. */
  stream(path: string, accept: string, query?: Ask['query']): Promise<ReadableStream<Uint8Array>>;
}

/** The service said no, and why. */
export class Refused extends CommandError {
  readonly code: string;
  readonly http: number;

  constructor(http: number, error: { code: string; message: string; requestId?: string; details?: unknown }) {
    const details = Array.isArray(error.details) ? (error.details as { message: string }[]).slice(1) : [];
    const lines = [`${error.code}: ${error.message}`, ...details.map(({ message }) => `  ${message}`)];
    if (error.requestId !== undefined) lines.push(`  (${error.requestId})`);
    super(EXIT.failed, lines.map(plain).join('\n'));
    this.code = error.code;
    this.http = http;
  }
}

export async function connect(terminal: Terminal, options: { url?: string }): Promise<Connection> {
  const url = addressOf(terminal, options.url);
  const key = keyFrom(terminal.env) ?? (await askKey(terminal, url));
  return open(terminal, url, key);
}

export function addressOf({ env }: Pick<Terminal, 'env'>, given: string | undefined): string {
  const url = given ?? env.POSTERN_URL ?? URL_DEFAULT;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw misused(`The address of the service must be a URL such as ${URL_DEFAULT}, not "${plain(url)}".`);
  }
  return url.replace(/\/+$/, '');
}

/** Throws when it is given twice or its file cannot be read. */
export function keyFrom(env: NodeJS.ProcessEnv): string | undefined {
  if (env.POSTERN_KEY !== undefined && env.POSTERN_KEY_FILE !== undefined) {
    throw misused('The key is given twice, by POSTERN_KEY and by POSTERN_KEY_FILE; keep one.');
  }
  if (env.POSTERN_KEY_FILE === undefined) return env.POSTERN_KEY;
  try {
    return readFileSync(env.POSTERN_KEY_FILE, 'utf8').trim();
  } catch (error) {
    throw misused(`The file that POSTERN_KEY_FILE names cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

async function askKey(terminal: Terminal, url: string): Promise<string> {
  if (!terminal.interactive) {
    throw misused('No key: set POSTERN_KEY, or POSTERN_KEY_FILE to a file that holds it.');
  }
  const { askSecret } = await import('./prompts.ts');
  return askSecret(terminal, `Key for ${url}`);
}

function open(terminal: Terminal, url: string, key: string): Connection {
  const send = (
    method: string,
    path: string,
    { query = {}, body, raw, headers = {}, signal = terminal.signal }: Ask,
  ): Promise<Response> => {
    const target = new URL(url + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) target.searchParams.set(name, String(value));
    }
    const changes = method === 'POST' || method === 'PATCH';
    const all: Record<string, string> = { authorization: `Bearer ${key}`, ...headers };
    const payload = raw ?? (body === undefined ? null : JSON.stringify(body));
    if (payload !== null) all['content-type'] = 'application/json';
    // So that a repetition after a lost answer does nothing twice.
    if (changes) all['idempotency-key'] ??= randomUUID();
    return persist(signal, url, () => fetch(target, { method, headers: all, body: payload, signal: within(signal) }));
  };
  return {
    url,
    async ask(method, path, ask = {}) {
      const response = await send(method, path, ask);
      const text = await response.text();
      if (!response.ok) throw refusal(response, text);
      try {
        return JSON.parse(text);
      } catch {
        throw refusal(response, text);
      }
    },
    async *each(path, query = {}) {
      let cursor: string | undefined;
      do {
        const page = await this.ask('GET', path, { query: { limit: 100, ...query, cursor } });
        yield* page.data;
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
    },
    async stream(path, accept, query = {}) {
      const response = await send('GET', path, { query, headers: { accept } });
      if (!response.ok || response.body === null) throw refusal(response, await response.text());
      return response.body;
    },
  };
}

const within = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]);

/** What may be over at the next attempt. */
const PASSING = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Tries again while the service is away, starting, or has too much to do. */
async function persist(signal: AbortSignal, url: string, send: () => Promise<Response>): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    let waitMs = Math.min(250 * 2 ** attempt, WAIT_MAX_MS);
    try {
      const response = await send();
      const busy = response.status === 503 || response.status === 429;
      const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
      if (!busy || attempt === ATTEMPTS) return response;
      if (Number.isFinite(retryAfter)) waitMs = Math.min(retryAfter * 1000, WAIT_MAX_MS);
      await response.body?.cancel();
    } catch (error) {
      if (signal.aborted) throw error;
      const cause = causeOf(error);
      // A service that is being started anew is back in a moment; one that is not there stays away.
      const last = cause === 'ECONNREFUSED' ? 2 : PASSING.has(cause) ? ATTEMPTS : 1;
      if (attempt >= last) {
        throw failed(`Nobody answers on ${url} (${cause}). Is the service running, and is POSTERN_URL right?`, error);
      }
    }
    await pause(waitMs, undefined, { signal });
  }
}

function causeOf(error: unknown): string {
  const { cause, name, message } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? (name === 'TimeoutError' ? 'no answer in time' : (cause?.message ?? message));
}

function refusal(response: Response, text: string): CommandError {
  try {
    const { error } = JSON.parse(text) as { error: { code: string; message: string } };
    return new Refused(response.status, error);
  } catch {
    return failed(`The answer is not Postern's (HTTP ${response.status}). Is POSTERN_URL the address of the service?`);
  }
}
