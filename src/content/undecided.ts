/** URLs about which nothing can decide. */
import { Failure } from '../api/errors.ts';
import type { Locator } from '../lib/urls/locator.ts';

/** The reasons why nothing can decide about a URL. */
export type Undecided = 'none' | 'ambiguous_content' | 'ambiguous_readings' | 'unreadable_url';

/** Nothing decides about a URL. */
export class UndecidedUrl extends Failure {
  readonly why: Undecided;
  readonly locator: Locator;

  constructor(locator: Locator, why: Undecided) {
    const url = `${locator.host}${locator.path}`.slice(0, 200);
    if (why === 'none') {
      const steps = 'Register the item, or make a collection for its address.';
      super('content_not_found', `No item is registered at ${url}, and no collection has it. ${steps}`);
    } else if (why === 'unreadable_url') super('invalid_request', UNDECIDED[why], { param: 'url' });
    else super('ambiguous_content', UNDECIDED[why], { param: 'url' });
    this.why = why;
    this.locator = locator;
  }
}

const UNDECIDED = {
  ambiguous_content:
    'Several items are registered at this URL, so none is chosen. Ask by `contentId`, or register one of them elsewhere.',
  ambiguous_readings:
    'Servers may read this URL as another one, and both are not allowed alike. Ask for the URL without its port, `;…`, encoded `?` or `#`, or what follows an index file; or give both the same policy.',
  unreadable_url:
    'Servers may read this URL differently: without its port, or what follows a semicolon or an encoded `?` or `#`, it leads to something else.',
};
