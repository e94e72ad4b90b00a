/**
 * The answer of a policy file to a request of a log. Without collections in the file, each request is decided as a
 * check by an anonymous visitor of an item that nothing is known of but its URL: an article without tags and metadata.
 * Its crawler is verified where the audit found it so; an address in doubt is not known.
 * With collections, it is decided as a check by URL of a site without registered items. Rate limits never run out.
 */

import { indexOf } from '../../src/cli/policies/file-collections.ts';
import type { PolicyFile } from '../../src/cli/policies/policy-file.ts';
import { byCollection, foundAt, toPage } from '../../src/content/address.ts';
import { isFreeFile } from '../../src/content/sites/free.ts';
import { toFacts } from '../../src/decisions/check/facts.ts';
import { ANONYMOUS } from '../../src/decisions/snapshot/subject.ts';
import { type Locator, parseHost, parseTarget } from '../../src/lib/urls/locator.ts';
import { findReadings } from '../../src/lib/urls/readings.ts';
import { USUAL_URLS } from '../../src/lib/urls/spellings.ts';
import { verdictOfAll } from '../../src/rules/alike.ts';
import { compile } from '../../src/rules/compile.ts';
import { decide, type Evaluation } from '../../src/rules/decide.ts';
import { type ContentFacts, UNPLACED, type VisitedPage } from '../../src/rules/facts.ts';
import type { Reason } from '../../src/rules/reason.ts';
import type { VisitOutcome } from './tally.ts';
import type { LoggedVisit } from './visit.ts';

export interface PolicyOfFile extends Pick<PolicyFile, 'name' | 'rules' | 'defaultAction' | 'collections'> {
  /** The host of requests whose line names none; null: it is not known. */
  host: string | null;
}

/**
 * Returns the reason of a denial; null when the policy allows. `not_covered`: no collection of the file has the URL,
 * so that another policy decides, or none. `free`: a file for crawlers, about which nothing decides.
 */
export type AuditAnswer = (visit: LoggedVisit, outcome: VisitOutcome) => Reason | 'not_covered' | 'free' | null;

const POLICY_ID = 'pol_of_file';

export function openAnswers({ rules, defaultAction = 'deny', collections, host }: PolicyOfFile): AuditAnswer {
  const policy = compile({ no: 0, id: POLICY_ID, version: 1, rules, defaultAction });
  const findLocator = openLocators(host);
  const findPage = collections === undefined ? undefined : openPages(collections);
  return (visit, outcome) => {
    const { address, at, target, userAgent } = visit;
    const locator = findLocator(visit);
    if (visit.isRead && locator !== undefined && isFreeFile(locator)) return 'free';
    const context = {
      ...(address === '' ? {} : { ip: address }),
      ...(userAgent === null ? {} : { userAgent }),
      ...(outcome === 'verified' ? { crawlerVerified: true } : {}),
    };
    const { asked, missing } = findPage === undefined ? itemAt(target, locator) : findPage(locator);
    const [first, ...rest] = asked.map((subject): Evaluation => {
      const facts = toFacts({ ...subject, requester: ANONYMOUS }, null, { context }, at);
      return { policy, facts, verdict: decide(policy, facts) };
    });
    return first === undefined ? 'not_covered' : verdictOfAll(first, rest, missing).reason;
  };
}

interface Asked {
  content: ContentFacts | null;
  page?: VisitedPage;
}

/** The items or pages of a URL under its readings. */
interface Readings {
  asked: readonly Asked[];
  missing: boolean;
}

const UNREADABLE: Readings = { asked: [], missing: true };

function itemAt(target: string | null, locator: Locator | undefined): Readings {
  const path = target?.split('?', 1)[0] ?? '';
  const content = {
    no: 0,
    id: path,
    externalId: path,
    type: 'article',
    tags: [],
    metadata: {},
    policyId: POLICY_ID,
    archived: false,
    ...UNPLACED,
  };
  if (locator === undefined) return { asked: [{ content }], missing: false };
  const readings = findReadings(locator, USUAL_URLS.index) ?? [{ locator }];
  if (readings === 'unreadable') return UNREADABLE;
  return { asked: readings.map((one) => ({ content, page: toPage(one.locator, content, true) })), missing: false };
}

type FileCollections = NonNullable<PolicyFile['collections']>;

function openPages(collections: FileCollections): (locator: Locator | undefined) => Readings {
  const inForce = { index: indexOf(collections, POLICY_ID), defaultPolicyId: POLICY_ID, lastEdit: 0, lastSiteEdit: 0 };
  return (locator) => {
    const at = locator === undefined ? 'none' : byCollection(locator, inForce);
    const pages = foundAt(at).flatMap((found) => ('page' in found ? [found.page] : []));
    return {
      asked: pages.map((page) => ({ content: null, page })),
      missing: typeof at === 'object' && 'found' in at && at.missing.length > 0,
    };
  };
}

/** `host` is empty where neither the line nor the option names one. Returns undefined for what is no readable URL. */
function openLocators(fallback: string | null): (visit: LoggedVisit) => Locator | undefined {
  // Most lines name the host of the line before.
  let named: string | null = null;
  let known: string | undefined;
  return ({ host, target }) => {
    if (host !== named) {
      named = host;
      known = host === null ? undefined : parseHost(host);
    }
    if (target?.isWellFormed() !== true || (host !== null && known === undefined)) return undefined;
    // The log may have decoded what browsers encode.
    const parsed = parseTarget(target.replaceAll(/\P{ASCII}+/gu, encodeURIComponent));
    return parsed && { host: known ?? fallback ?? '', ...parsed };
  };
}
