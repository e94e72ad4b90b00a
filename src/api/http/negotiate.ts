/**
 * Chooses the media type a client prefers (RFC 9110, section 12.5.1): the highest `q`; of equals, a named one over a
 * wildcard, then the first named. Without an acceptable one, the first of ours.
 */
import type { FastifyRequest } from 'fastify';

interface Wish {
  range: string;
  q: number;
}

/** Returns the media type of a 200: of those that the operation declares, and its description names, the preferred. */
export function chosenMedia({ headers, routeOptions }: FastifyRequest): string {
  const offered = routeOptions.config.media?.[200] ?? [];
  const [first = 'application/json'] = offered;
  const { accept } = headers;
  // Most programs accept anything.
  if (accept === undefined || accept === '*/*') return first;
  const wishes = accept.split(',').map(toWish);
  const ranked = offered
    .map((type) => ({ type, ...rankType(type, wishes) }))
    .filter(({ q }) => q > 0)
    .toSorted((a, b) => b.q - a.q || a.width - b.width || a.place - b.place);
  return ranked[0]?.type ?? first;
}

function toWish(text: string): Wish {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const q = parameters.find((one) => one.startsWith('q='));
  return { range, q: q === undefined ? 1 : Number(q.slice(2)) || 0 };
}

/** By the narrowest range that covers the type. */
function rankType(type: string, wishes: readonly Wish[]): { q: number; width: number; place: number } {
  const ranges = [type, `${type.split('/', 1)[0]}/*`, '*/*'];
  for (const [width, range] of ranges.entries()) {
    const place = wishes.findIndex((wish) => wish.range === range);
    if (place !== -1) return { q: wishes[place]?.q ?? 0, width, place: width === ranges.length - 1 ? 0 : place };
  }
  return { q: 0, width: ranges.length, place: 0 };
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Media types by status, where an answer is not JSON alone. */
    media?: Readonly<Record<string, readonly string[]>>;
  }
}
