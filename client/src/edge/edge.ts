/**
 * A guard in front of a site, at the edge: it asks by URL, and serves through the platform. Promise: nothing of a
 * request says who its visitor is but what the visitor can prove; everything else is what the platform knows.
 */

import { askOne, openKept, openPost } from './asker.ts';
import type { Assets } from './assets.ts';
import { type CoreOptions, openCore } from './core.ts';
import { given } from './given.ts';
import type { Known } from './options.ts';
import { drop, withHeaders } from './put-headers.ts';
import { checkOf, urlOf } from './question.ts';
import type { Verdict } from './verdict.ts';
import { isPreflight, type Visit, visitOfFetch } from './visit.ts';

export interface EdgeOptions extends CoreOptions {
  /** The name of the platform, for the operator. */
  platform?: string;
  /** The files that are served without asking: `assets` for styles, scripts and fonts; absent: none. */
  assets?: Assets | undefined;
  /** Answers in place of the site, before any check, such as a file with rules for crawlers; undefined: it does not. */
  file?: ((visit: Visit) => Promise<Response | undefined>) | undefined;
  /** Passes the visitor's address on; true by default. */
  ip?: boolean;
  /** Passes the visitor's country on; true by default. */
  country?: boolean;
  /** States that a crawler is proven where the platform verified it; false by default. */
  trustBots?: boolean;
}

export interface Visiting {
  known?: Known;
  /** Takes work that goes on beside the answer, such as `waitUntil`; absent: the answer waits for it. */
  later?: ((work: Promise<unknown>) => void) | undefined;
}

export interface Edge {
  /** Returns the verdict, for platforms that serve by themselves. */
  check(request: Request, visiting?: Visiting): Promise<Verdict>;
  /** Answers the request: with what `serve` fetches from the site, or with a refusal. */
  handle(request: Request, visiting: Visiting, serve: Serve): Promise<Response>;
}

export type Serve = (request: Request) => Response | Promise<Response>;

const TIMEOUT_MS = 500;
const KEPT_MAX = 1_000;

/** Throws TypeError for invalid options: a misconfigured guard must not start. */
export function openEdge(options: EdgeOptions): Edge {
  const { timeoutMs = TIMEOUT_MS, keptMax = KEPT_MAX } = options;
  const post = openPost({ ...options, timeoutMs });
  const kept = openKept(keptMax);
  const decide = openCore(options);

  async function check(request: Request, { known = {}, later }: Visiting = {}): Promise<Verdict> {
    const visit = visitOfFetch(request);
    return decide({
      visit,
      known,
      ask: (one) => kept(one, (each) => askOne(post, each, timeoutMs)),
      checks: async () => [checkOf(options, visit, { url: urlOf(options, visit), context: contextOf(options, known) })],
      later,
    });
  }

  /** Serves assets, and what is allowed. */
  async function answer(request: Request, visiting: Visiting, serve: Serve): Promise<Response> {
    const { assets } = options;
    const asset = assets?.isNamed(visitOfFetch(request)) ? await serve(request) : undefined;
    // A page may be served there, whose path only looks like that of an asset.
    if (asset && assets?.isServed(asset)) return asset;
    const verdict = await check(request, visiting);
    if (verdict.allowed) return withHeaders(asset ?? (await serve(request)), verdict);
    await asset?.body?.cancel();
    return verdict.toResponse();
  }

  return {
    check,
    async handle(sent, visiting, serve) {
      const request = withoutForged(sent);
      const visit = visitOfFetch(request);
      const file = await options.file?.(visit);
      if (file !== undefined) return file;
      if (options.mode === 'off') return serve(request);
      return isPreflight(visit) ? withoutBody(await serve(request)) : answer(request, visiting, serve);
    },
  };
}

/** An origin may take these for Postern's word or for the URL, also with `_` for `-`: nothing here sends them. */
export const FORGED = /^x[-_.]+(postern|original|rewrite)/i;

export const withoutForged = (request: Request): Request =>
  [...request.headers.keys()].some((name) => FORGED.test(name))
    ? new Request(request, { headers: drop(new Headers(request.headers), FORGED) })
    : request;

function contextOf({ ip, country, trustBots }: EdgeOptions, known: Known) {
  return given({
    ip: ip === false ? undefined : known.ip,
    // Platforms have codes of their own for unknown places and for Tor.
    country: country !== false && /^(?!XX)[A-Z]{2}$/.test(known.country ?? '') ? known.country : undefined,
    crawlerVerified: (trustBots === true && known.isVerified) || undefined,
  });
}

/** The answer to a preflight is in its headers; nothing of a page is in it. */
const withoutBody = ({ status, headers }: Response): Response =>
  new Response(null, { status, headers: drop(new Headers(headers), /^content-(length|encoding|type)$/) });
