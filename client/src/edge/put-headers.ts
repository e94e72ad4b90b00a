/**
 * Puts the headers of a verdict into an answer. Links and `Vary` are added to those that the answer has already. A page
 * keeps its own `Cache-Control`; a refusal does not.
 */
import type { Verdict } from './verdict.ts';

type Headed = Pick<Verdict, 'headers' | 'body'>;

const ADDED = /^(?:link|vary)$/;

export function putHeaders(
  { headers, body }: Headed,
  get: (name: string) => unknown,
  set: (name: string, value: string) => unknown,
): void {
  for (const [name, value] of Object.entries(headers)) {
    const isOwn = name === 'cache-control' && body === null && Boolean(get(name));
    if (isOwn) continue;
    const before = ADDED.test(name) ? String(get(name) ?? '') : '';
    // A guard before this one may have put it already.
    if (before === '') set(name, value);
    else if (!` ${before},`.includes(` ${value},`)) set(name, `${before}, ${value}`);
  }
  if (body !== null) set('content-type', body.type);
}

/** A CDN obeys these before `Cache-Control`, and would keep the page for visitors that are denied. */
const FOR_CDNS = /(?:cdn-cache|surrogate|edge)-control$/;

/** Copies the response, since headers of a fetched one are immutable. */
export function withHeaders(response: Response, verdict: Headed): Response {
  const changed = new Response(response.body, response);
  const { headers } = changed;
  if (verdict.headers['cache-control']) drop(headers, FOR_CDNS);
  putHeaders(
    verdict,
    (name) => headers.get(name),
    (name, value) => headers.set(name, value),
  );
  return changed;
}

/** Deletes the headers whose names match. */
export function drop(headers: Headers, names: RegExp): Headers {
  for (const name of [...headers.keys()].filter((one) => names.test(one))) headers.delete(name);
  return headers;
}
