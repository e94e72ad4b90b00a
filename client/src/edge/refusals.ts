/** Adds to the problem details of a refusal: prices in headers, and a page for browsers. */
import { type Offered, offerHeaders } from './offers.ts';
import { type PageFor, pageFor } from './page.ts';

export interface Refusals {
  /** Returns the page for a visitor with this `Accept`; undefined where it prefers problem details. */
  page?: PageFor | undefined;
  /** Returns the headers with the prices of what was asked for. */
  offers(offered: readonly Offered[], url: string): Record<string, string>;
}

export const refusals: Refusals = { page: pageFor, offers: offerHeaders };
