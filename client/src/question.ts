/** The checks of a guard. Promise: a page view is one check, however many guards it passes. */
import type { Ask, Asked } from './asker.ts';
import type { GuardOptions, RouterUrls } from './guard-options.ts';
import type { Check } from './types.ts';
import type { Visit } from './visit.ts';

/** Returns the check of a visit; null without an item. */
export async function checkOf(options: GuardOptions, visit: Visit, urls?: RouterUrls): Promise<Check | null> {
  const { content } = options;
  const asked =
    content === 'url' ? { url: urlOf(options, visit), ...(urls && { urls }) } : await itemOf(content, visit);
  if (asked === null) return null;
  const requesterId = await options.requester?.(visit);
  const known = await options.context?.(visit);
  const userAgent = visit.header('user-agent');
  const method = visit.method.length > METHOD_LENGTH_MAX ? {} : { method: visit.method };
  const context = { ...known, ...(userAgent === undefined ? {} : { userAgent }), ...method };
  return {
    ...asked,
    ...visitorOf(options, visit),
    ...(requesterId === undefined ? {} : { requesterId }),
    ...(options.permission === undefined ? {} : { permission: options.permission }),
    ...(options.purpose === undefined ? {} : { purpose: options.purpose }),
    context,
    ...(options.remedies === false ? {} : { explain: true }),
    ...pageOf(urlOf(options, visit)),
  };
}

/** A visit without a host names no URL, which the service refuses. */
export function urlOf({ origin }: GuardOptions, { host = '', path, search }: Visit): string {
  return `${origin?.replace(/\/$/, '') ?? `https://${host}`}${path}${search}`;
}

/** A longer one is made up: it is not kept, and denies nothing by itself. */
const METHOD_LENGTH_MAX = 32;
const PAGE_LENGTH_MAX = 2048;

/** A URL that the service would refuse has no signals; the check itself is about the item. */
const pageOf = (url: string): Pick<Check, 'page'> => (url.length > PAGE_LENGTH_MAX ? {} : { page: url });

/** The proofs of the visitor. Other credentials than requester tokens are not Postern's to see. */
function visitorOf(options: GuardOptions, visit: Visit): Pick<Check, 'visitor'> {
  const authorization = visit.header('authorization');
  const signatureInput = visit.header('signature-input');
  const visitor = {
    ...(/^bearer +svc_rt_/i.test(authorization ?? '') ? { authorization } : {}),
    ...(signatureInput === undefined ? {} : { signatureInput, ...signedPartsOf(options, visit) }),
  };
  return Object.keys(visitor).length === 0 ? {} : { visitor };
}

function signedPartsOf(options: GuardOptions, visit: Visit): Omit<NonNullable<Check['visitor']>, 'signatureInput'> {
  const signature = visit.header('signature');
  const signatureAgent = visit.header('signature-agent');
  return {
    method: visit.method,
    url: urlOf(options, visit),
    ...(signature === undefined ? {} : { signature }),
    ...(signatureAgent === undefined ? {} : { signatureAgent }),
  };
}

async function itemOf(
  content: Exclude<GuardOptions['content'], 'url'>,
  visit: Visit,
): Promise<{ contentId: string } | null> {
  const contentId = await content(visit);
  return contentId === undefined || contentId === null || contentId === '' ? null : { contentId };
}

interface Question {
  /** The service, and all fields but the item. */
  rest: string;
  check: Check;
  asked: Promise<Asked>;
}

/** By the request of the visitor, so that its page view is one access, however many guards it passes. */
const views = new WeakMap<object, Question[]>();

/** Asks once for a page view: guards that ask the same get the same answer. `service` names who is asked. */
export async function askOnce(ask: Ask, check: Check, { view, service }: { view: object; service: string }) {
  const before = views.get(view) ?? [];
  views.set(view, before);
  const { contentId, url, urls, ...others } = check;
  const rest = JSON.stringify([service, others]);
  for (const one of before.filter((each) => each.rest === rest)) {
    if (one.check.contentId === contentId && one.check.url === url && isCovered(urls, one.check.urls)) return one.asked;
    if (contentId !== undefined && isAbout(await one.asked, contentId)) return one.asked;
  }
  const asked = ask(check);
  before.push({ rest, check, asked });
  return asked;
}

/** A router that ignores no more is asked for already. */
const isCovered = (urls: RouterUrls = {}, before: RouterUrls = {}): boolean =>
  (urls.case === undefined || before.case !== undefined) &&
  (urls.finalSlash === undefined || before.finalSlash !== undefined);

/** The item at a URL may be asked for by its name as well. */
const isAbout = (asked: Asked, contentId: string): boolean =>
  !('error' in asked) && (asked.contentId === contentId || asked.externalId === contentId);
