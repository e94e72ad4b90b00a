/** Puts the headers of a verdict into an answer. Links and `Vary` are added to those that the answer has already. */
import type { Verdict } from './verdict.ts';

type Headed = Pick<Verdict, 'headers' | 'body'>;

const ADDED: ReadonlySet<string> = new Set(['link', 'vary']);

export function putHeaders(
  { headers, body }: Headed,
  get: (name: string) => unknown,
  set: (name: string, value: string) => unknown,
): void {
  for (const [name, value] of Object.entries(headers)) {
    const before = ADDED.has(name) ? get(name) : undefined;
    set(name, before === undefined || before === '' ? value : `${String(before)}, ${value}`);
  }
  if (body !== null) set('content-type', body.type);
}

/** Copies the response, since headers of a fetched one are immutable. */
export function withHeaders(response: Response, { headers }: Pick<Headed, 'headers'>): Response {
  const changed = new Response(response.body, response);
  for (const [name, value] of Object.entries(headers)) {
    if (name === 'link') changed.headers.append(name, value);
    else changed.headers.set(name, value);
  }
  return changed;
}
