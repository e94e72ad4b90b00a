/**
 * Connects a command to the service through the published client. The address comes from --url or POSTERN_URL. The key
 * comes from POSTERN_KEY, the file that POSTERN_KEY_FILE names, or a prompt; never from a flag, which other users can
 * see.
 */
import { createPostern, type Postern } from '../../client/src/client.ts';
import { isWord } from '../../client/src/edge/attempt.ts';
import { PosternError, PosternUnreachable } from '../../client/src/errors.ts';
import { plain } from '../lib/terminal-text.ts';
import { type CommandError, failed, misused } from './outcome.ts';
import { readText } from './read-file.ts';
import { type Terminal } from './terminal.ts';

export const URL_DEFAULT = 'http://127.0.0.1:8080';
/** Reports on long periods take their time; a command may wait longer than a web server. */
const TIMEOUT_MS = 120_000;
const RETRIES = 4;

export async function connect(terminal: Terminal, options: { url?: string }): Promise<Postern> {
  const url = getAddress(terminal, options.url);
  const key = readKey(terminal.env) ?? (await promptForKey(terminal, url));
  // The client refuses it as well, but does not know where it came from.
  if (!isWord(key)) {
    throw misused('The key is not one word; check POSTERN_KEY or the file that POSTERN_KEY_FILE names.');
  }
  return createPostern({ url, key, timeoutMs: TIMEOUT_MS, retries: RETRIES, signal: terminal.signal });
}

/** Returns the service's address without a trailing slash. Throws when it is not an http(s) URL. */
export function getAddress({ env }: Pick<Terminal, 'env'>, given: string | undefined): string {
  const url = given ?? env.POSTERN_URL ?? URL_DEFAULT;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw misused(`The address of the service must be a URL such as ${URL_DEFAULT}, not "${plain(url)}".`);
  }
  return url.replace(/\/+$/, '');
}

/** Returns undefined when no key is set. Throws when it is set twice, is empty, or its file cannot be read. */
export function readKey(env: NodeJS.ProcessEnv): string | undefined {
  if (env.POSTERN_KEY !== undefined && env.POSTERN_KEY_FILE !== undefined) {
    throw misused('Both POSTERN_KEY and POSTERN_KEY_FILE are set; keep one.');
  }
  const key =
    env.POSTERN_KEY_FILE === undefined
      ? env.POSTERN_KEY
      : readText(env.POSTERN_KEY_FILE, 'the file that POSTERN_KEY_FILE names').trim();
  if (key === '') throw misused('The key is empty; check POSTERN_KEY or the file that POSTERN_KEY_FILE names.');
  return key;
}

async function promptForKey(terminal: Terminal, url: string): Promise<string> {
  if (!terminal.interactive) throw misused('No key: set POSTERN_KEY, or POSTERN_KEY_FILE to a file that holds it.');
  const { promptForSecret } = await import('./prompts.ts');
  return promptForSecret(terminal, `Key for ${url}`);
}

/**
 * Turns an error of the client into the message and exit status of the command; returns undefined for any other error.
 */
export function toCommandError(error: unknown, getUrl: () => string): CommandError | undefined {
  if (error instanceof PosternUnreachable) {
    const message = `No answer from ${getUrl()} (${describeCause(error)}). Check that it is running and that POSTERN_URL is right.`;
    return failed(message, error);
  }
  if (!(error instanceof PosternError)) return undefined;
  const { code, status, message, details = [], requestId } = error;
  if (code === 'unexpected_answer') {
    return failed(
      `The answer is not Postern's (HTTP ${status}). Check that POSTERN_URL is the address of the service.`,
    );
  }
  const lines = [`${code}: ${message}`, ...details.slice(1).map((detail) => `  ${detail.message}`)];
  if (requestId !== undefined) lines.push(`  (${requestId})`);
  return failed(lines.map(plain).join('\n'), error);
}

/** Names the system's error code where there is one. Other messages may quote a header, and so the key. */
function describeCause({ cause, isTimeout }: PosternUnreachable): string {
  if (isTimeout) return 'timeout';
  const inner = (cause as Error).cause as NodeJS.ErrnoException | undefined;
  return inner?.code ?? inner?.message ?? 'the request could not be sent';
}
