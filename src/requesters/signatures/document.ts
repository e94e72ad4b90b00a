/** Fetches the keys of an agent, and says how long they are fresh. */
import type { IncomingHttpHeaders } from 'node:http';
import type { GetOptions, Getter } from '../../lib/outgoing/get.ts';
import { keyDocumentUrl } from './agent.ts';
import { type AgentKeys, isObject, readKeys } from './keys.ts';

const DIRECTORY_TYPE = 'application/http-message-signatures-directory+json';
const WANTED: GetOptions = {
  accept: `${DIRECTORY_TYPE}, application/json;q=0.9`,
  maxBytes: 128 * 1024,
  timeoutMs: 10_000,
};

/** Bounds of the lifetime that an agent's server states: a removed key verifies for as long. */
const LIFETIME = { least: 60_000, usual: 3_600_000, most: 86_400_000 };

/** `retryAfterMs` is what the server asked for. */
export type Resolved = { keys: AgentKeys; lifetimeMs: number } | { error: string; retryAfterMs?: number };

/**
 * Fetches the document of an agent. The directory of an origin is a JWK Set; any other document may also be client
 * metadata, which contains or names one.
 */
export async function resolve(getter: Getter, agent: string): Promise<Resolved> {
  const address = keyDocumentUrl(agent);
  const first = await fetchJson(getter, address);
  if ('error' in first) return first;
  const isMetadata = address === agent && isObject(first.json) && readKeys(first.json) === undefined;
  const { jwks, jwks_uri: uri } = isMetadata ? (first.json as Record<string, unknown>) : {};
  if (isObject(jwks)) return readSet({ ...first, json: jwks });
  if (typeof uri !== 'string') return readSet(first);
  const second = await fetchJson(getter, uri);
  return 'error' in second ? second : readSet(second);
}

interface Document {
  json: unknown;
  lifetimeMs: number;
}

function readSet({ json, lifetimeMs }: Document): Resolved {
  const keys = readKeys(json);
  return keys === undefined ? { error: 'The document is not a JWK Set of at most 100 keys.' } : { keys, lifetimeMs };
}

async function fetchJson(getter: Getter, url: string): Promise<Document | { error: string; retryAfterMs?: number }> {
  const fetched = await getter.get(url, WANTED);
  if (fetched.error !== undefined) {
    const seconds = Number(fetched.headers?.['retry-after']);
    return { error: fetched.error, ...(seconds > 0 ? { retryAfterMs: seconds * 1000 } : {}) };
  }
  const type = (fetched.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  // Agents also serve `application/json` and `application/jwk-set+json`; a page of HTML is an error page.
  if (!/^application\/([\w.-]+\+)?json$/.test(type)) {
    return { error: `The document has the content type "${type.slice(0, 100)}", not ${DIRECTORY_TYPE}.` };
  }
  try {
    return { json: JSON.parse(fetched.body.toString()), lifetimeMs: readLifetime(fetched.headers) };
  } catch {
    return { error: 'The document is not JSON.' };
  }
}

/** Reads the freshness lifetime as RFC 9111 defines it, within the bounds. */
export function readLifetime(headers: IncomingHttpHeaders): number {
  const control = headers['cache-control']?.toLowerCase() ?? '';
  const stated = /(?:^|[,\s])max-age="?(\d{1,10})/.exec(control)?.[1];
  const bounded = (ms: number): number => Math.min(Math.max(ms, LIFETIME.least), LIFETIME.most);
  if (/(?:^|[,\s])no-(store|cache)/.test(control)) return LIFETIME.least;
  if (stated !== undefined) return bounded((Number(stated) - (Number(headers.age) || 0)) * 1000);
  if (headers.expires === undefined) return LIFETIME.usual;
  // An invalid date, such as 0, means that the document has expired.
  return bounded(Date.parse(headers.expires) - Date.parse(headers.date ?? '') || 0);
}
