/** Shows what a denied crawler, and a person, get to see of an offer. */
import { offerHeaders } from '../../../client/src/edge/offers.ts';
import { formatMicros } from '../licenses/money.ts';
import type { Offer } from './offer.ts';

type Priced = Pick<Offer, 'unit' | 'unitPriceMicros' | 'currency'>;
type Shown = Priced & Pick<Offer, 'licenseType' | 'features' | 'contact' | 'url'>;

const PER = { decision: 'per access', month: 'per month', year: 'per year' } as const;

export const priceWords = ({ unit, unitPriceMicros, currency }: Priced): string =>
  unitPriceMicros === null || currency === null
    ? 'on request'
    : `${formatMicros(unitPriceMicros, currency)} ${PER[unit]}`;

export function Preview({ of: offer }: { of: Shown }) {
  const { licenseType, unitPriceMicros, currency, contact, url, ...rest } = offer;
  const offered = {
    ...rest,
    licenseType,
    ...(unitPriceMicros === null || currency === null ? {} : { unitPriceMicros, currency }),
    ...(url === null || !URL.canParse(url) ? {} : { url }),
  };
  const headers = Object.entries(offerHeaders([offered], ''));
  return (
    <section aria-label="What a denied visitor sees">
      <div className="choice-label">What a denied visitor sees</div>
      <pre className="json">
        {['HTTP/1.1 402 Payment Required', ...headers.map(([name, value]) => `${name}: ${value}`)].join('\n')}
      </pre>
      <p className="soft">
        People read: {licenseType === '' ? 'this license' : licenseType}, {priceWords(offer)}.
        {contact !== null && ` Write to ${contact}.`}
      </p>
    </section>
  );
}
