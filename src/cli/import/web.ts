/**
 * Fetches the addresses of an import. Addresses from redirects, indexes and feeds must be public, or belong to the
 * site that was named on the command line. A hostile feed therefore reads nothing from a private network.
 */
import { lookup } from 'node:dns/promises';
import { Readable } from 'node:stream';
import { Agent, fetch } from 'undici';
import { isPublicAddress, parseLiteral } from '../../lib/outgoing/address.ts';
import { BlockedAddress, publicConnector } from '../../lib/outgoing/connect.ts';
import { type CommandError, failed, misused } from '../outcome.ts';

const REDIRECTS_MAX = 5;

export type OpenWeb = (url: string, signal: AbortSignal) => Promise<Readable>;

/** Returns a function that opens the address `named` on the command line, and addresses from its answers. */
export function openWeb(named: string | undefined): OpenWeb {
  const publicOnly = publicConnector().then((connect) => new Agent({ connect }));
  const anywhere = new Agent();
  const origin = named !== undefined && URL.canParse(named) ? new URL(named) : undefined;
  let trusted: Promise<boolean> | undefined;
  /** A named site may be private. Its first lookup decides, so that rebinding its name gains nothing. */
  const isTrusted = async (url: URL): Promise<boolean> => {
    if (origin === undefined || url.origin !== origin.origin) return false;
    trusted ??= isPrivate(url.hostname);
    return trusted;
  };
  return async (url, signal) => {
    let at = url;
    for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
      const target = new URL(at);
      const dispatcher = (await isTrusted(target)) ? anywhere : await publicOnly;
      const response = await get(target, dispatcher, signal, at === named);
      const location = response.headers.get('location');
      if (response.status < 300 || response.status >= 400 || location === null) {
        if (!response.ok || response.body === null) throw failed(`${at} answered with HTTP ${response.status}.`);
        return Readable.fromWeb(response.body as never);
      }
      await response.body?.cancel();
      if (!URL.canParse(location, at) || !/^https?:$/.test(new URL(location, at).protocol)) {
        throw failed(`${at} redirects to "${location}", which is not an http(s) address.`);
      }
      at = new URL(location, at).href;
    }
    throw failed(`${url} redirects more than ${REDIRECTS_MAX} times; name the final address.`);
  };
}

async function isPrivate(hostname: string): Promise<boolean> {
  const literal = parseLiteral(hostname);
  if (literal !== undefined) return !isPublicAddress(literal);
  const found = await lookup(hostname, { all: true }).catch(() => []);
  return found.some(({ address }) => !isPublicAddress(address));
}

async function get(url: URL, dispatcher: Agent, signal: AbortSignal, isNamed: boolean) {
  try {
    const headers = { 'user-agent': 'postern-import' };
    return await fetch(url, { signal, dispatcher, redirect: 'manual', headers });
  } catch (error) {
    if (signal.aborted) throw error;
    throw refusal(url, error as Error & { cause?: Error }, isNamed);
  }
}

function refusal({ href }: URL, { cause, message }: Error & { cause?: Error }, isNamed: boolean): CommandError {
  if (cause instanceof BlockedAddress && !isNamed) {
    return misused(
      `${href} is on a private network and was not named on the command line, so it was not fetched. To import it, ` +
        'name it.',
    );
  }
  return failed(`Cannot fetch ${href}: ${cause?.message ?? message}`, cause);
}
