/** The page views of a server. Promise: a page view is one check, however many guards it passes. */
import type { Ask, Asked } from './edge/asker.ts';
import type { RouterUrls } from './edge/options.ts';
import type { Check } from './types.ts';

interface View {
  /** The service, and all fields but the item. */
  rest: string;
  check: Check;
  asked: Promise<Asked>;
}

/** By the request of the visitor, so that its page view is one access, however many guards it passes. */
const views = new WeakMap<object, View[]>();

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
