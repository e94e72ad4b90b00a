/**
 * Cloudflare's Pay Per Crawl with dynamic pricing (its documentation of June 2026, "Advanced configuration").
 * `cf-pay-per-crawl` says that Cloudflare will charge the visitor the answer's `crawler-price`, and show the content
 * only if it pays. The check therefore states the license of that offer, which a calling server may vouch for in any
 * check. The policy still decides.
 */
import { parseDictionary, Token } from 'structured-headers';
import type { Caller } from '../../api/permissions.ts';
import { UndecidedUrl } from '../../content/undecided.ts';
import { crawlerPrice } from '../../requesters/offers/headers.ts';
import type { Ask } from '../check/ask.ts';
import type { CheckDeps } from '../check/check.ts';
import type { Decision } from '../ledger/decision.ts';
import { explained, offeredIn } from './remedies.ts';
import type { AuthorizeOptions } from './schema.ts';

/** Cloudflare charges nothing for an answer with this price. */
const FREE = 'USD 0.00';

interface Terms {
  caller: Caller;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  options: AuthorizeOptions;
}

/** Returns the ask with a license where that turns a denial, and the price of an allowed answer, if it has one. */
export async function askPaid(
  deps: CheckDeps,
  ask: Ask,
  { caller, headers, options: { payPerCrawl } }: Terms,
): Promise<{ ask: Ask; price?: string }> {
  if (payPerCrawl === undefined || !mayVouch(ask, caller) || !willCharge(headers['cf-pay-per-crawl'])) return { ask };
  const explanation = await explain(deps, ask, caller);
  if (explanation === undefined || !explanation.enforced) return { ask };
  const { allowed, remedies = [] } = explanation;
  if (allowed) return { ask, price: FREE };
  const offer = offeredIn(remedies).find(({ licenseType }) => licenseType === payPerCrawl);
  const price = offer && crawlerPrice(offer);
  // Cloudflare bills in dollars; without a price it would charge that of the whole zone.
  if (offer === undefined || price === undefined || offer.currency !== 'USD') return { ask };
  return { ask: { ...ask, license: { type: offer.licenseType, features: offer.features } }, price };
}

/** A public key may not vouch for a license, and a License token leaves no other. */
const mayVouch = ({ license }: Ask, { readOnly }: Caller): boolean => license === undefined && !readOnly;

/** Returns undefined where nothing decides; the check itself says why. */
async function explain(deps: CheckDeps, ask: Ask, caller: Caller): Promise<Decision | undefined> {
  try {
    return await explained(deps, ask, caller, await deps.offers.read());
  } catch (error) {
    if (error instanceof UndecidedUrl) return undefined;
    throw error;
  }
}

/** Reads `protocol=cloudflare, pricing=in-band`; everything else charges nothing of ours. */
function willCharge(header: string | string[] | undefined): boolean {
  if (typeof header !== 'string') return false;
  try {
    const members = parseDictionary(header);
    return readToken(members.get('protocol')) === 'cloudflare' && readToken(members.get('pricing')) === 'in-band';
  } catch {
    return false;
  }
}

const readToken = (member: ReturnType<ReturnType<typeof parseDictionary>['get']>): string | undefined =>
  member?.[0] instanceof Token ? member[0].toString() : undefined;
