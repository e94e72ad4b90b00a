/** Finds rules that look at inputs of a check which the privacy settings shortened or removed. */
import type { Inputs } from '../../decisions/check/facts.ts';
import type { Reducible } from '../../decisions/ledger/inputs.ts';
import { findCrawler } from '../../rules/crawlers/directory.ts';

const CRAWLER_KEYS = [
  ...['crawler', 'crawlerOperator', 'crawlerPurpose'].flatMap((key) => [key, `${key}Not`]),
  'crawlerVerified',
];
const LICENSE_KEYS = ['licenseType', 'licenseFeatures'].flatMap((key) => [key, `${key}Not`]);

/** The conditions that look at inputs. Of a shortened user agent, the crawler is still known. */
const KEYS_OF: Record<Reducible, readonly string[]> = {
  'context.ip': ['ip', 'ipNot'],
  'context.userAgent': ['userAgent', 'userAgentNot'],
  context: [
    'ip',
    'ipNot',
    'userAgent',
    'userAgentNot',
    'country',
    'countryNot',
    'attributes',
    'attributesNot',
    'requesterVerified',
    ...CRAWLER_KEYS,
  ],
  license: ['hasValidLicense', 'licenseExpiry', ...LICENSE_KEYS],
};

/** Returns whether rules look at inputs that are not whole. */
export function asksReduced(
  { keys }: { readonly keys: ReadonlySet<string> },
  { reduced = [], context }: ReducedInputs,
): boolean {
  if (keys.has('crawlerVerified') && hasUnknownProof(context, reduced)) return true;
  return reduced.some(
    (field) =>
      KEYS_OF[field].some((key) => keys.has(key)) ||
      (field === 'context.userAgent' && context?.userAgent === undefined && CRAWLER_KEYS.some((key) => keys.has(key))),
  );
}

/** Decisions of earlier versions do not say whether the crawler was proven; without any means of proof, it was not. */
function hasUnknownProof(context: Inputs['context'], reduced: readonly Reducible[]): boolean {
  if (context?.userAgent === undefined || context.crawlerVerified !== undefined) return false;
  const had = context.ip !== undefined || reduced.includes('context.ip') || context.verified === 'signature';
  return had && findCrawler(context.userAgent) !== null;
}

export type ReducedInputs = Inputs & { reduced?: Reducible[] };
