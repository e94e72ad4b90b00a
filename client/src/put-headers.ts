/** Puts the headers of a verdict into an answer. Links are added to those that the answer has already. */
import type { Verdict } from './verdict.ts';

type Headed = Pick<Verdict, 'headers'>;

export function putHeaders(
  { headers }: Headed,
  get: (name: string) => unknown,
  set: (name: string, value: string) => unknown,
): void {
  for (const [name, value] of Object.entries(headers)) {
    const before = name === 'link' ? get(name) : undefined;
    set(name, before === undefined || before === '' ? value : `${String(before)}, ${value}`);
  }
}

/** Copies the response, since headers of a fetched one are immutable. */
export function withHeaders(response: Response, { headers }: Headed): Response {
  const changed = new Response(response.body, response);
  for (const [name, value] of Object.entries(headers)) {
    if (name === 'link') changed.headers.append(name, value);
    else changed.headers.set(name, value);
  }
  return changed;
}
