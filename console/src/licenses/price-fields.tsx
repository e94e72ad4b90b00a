/** The price of a new license: free of charge, or terms that start from the offer. Nothing is chosen beforehand. */
import '@mantine/core/styles/Radio.css';
import { Radio, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useRead } from '../api/read.ts';
import type { Offer } from '../offers/offer.ts';
import { priceWords } from '../offers/preview.tsx';
import { useMay } from '../shell/session.tsx';
import { toDecimal } from './money.ts';
import { TermsForm } from './terms-editor.tsx';
import type { LicenseDates } from './terms-example.tsx';
import { faultsOf, type Terms, type TermsFields, toFields, toTerms } from './terms-fields.ts';

/** Undefined until the publisher has said it. */
type Choice = 'free' | 'terms' | undefined;

export interface Price {
  choice: Choice;
  choose: (choice: Choice) => void;
  offer: Offer | undefined;
  fields: TermsFields;
  change: (changed: Partial<TermsFields>) => void;
}

/** `kind`: of the license; `collectionId`: its only one, if it has one. */
export function usePrice(kind: string, collectionId: string | undefined): Price {
  const [choice, choose] = useState<Choice>();
  const [typed, setTyped] = useState<TermsFields>();
  const offer = useOffer(kind, collectionId);
  const fields = typed ?? toOffered(offer);
  return { choice, choose, offer, fields, change: (changed) => setTyped({ ...fields, ...changed }) };
}

/** Returns null for a free license, and undefined while the price is not said. */
export function toPrice({ choice, fields }: Price): Terms | null | undefined {
  if (choice === 'free') return null;
  return choice === undefined || Object.keys(faultsOf(fields)).length > 0 ? undefined : toTerms(fields);
}

const TYPING_MS = 300;

/** Finds the offer that counts: that of the collection, then the one for everywhere. */
function useOffer(kind: string, collectionId: string | undefined): Offer | undefined {
  const may = useMay('policies:read');
  const [licenseType] = useDebouncedValue(kind.trim(), TYPING_MS);
  const query = { licenseType, limit: 100 };
  const offers = useRead('GET /v1/offers', { query }, { enabled: may && licenseType !== '' });
  const valid = (offers.data?.data ?? []).filter(
    ({ validUntil }) => validUntil === null || Date.parse(validUntil) > Date.now(),
  );
  const find = (id: string | null) => valid.find((offer) => offer.collectionId === id);
  return (collectionId === undefined ? undefined : find(collectionId)) ?? find(null);
}

/** An offer by the month or year is a fee, and its requests are included. */
function toOffered(offer: Offer | undefined): TermsFields {
  const { unit, unitPriceMicros = null, currency = null } = offer ?? {};
  const fields = toFields(null);
  if (unit === undefined || unitPriceMicros === null || currency === null) return fields;
  const price = toDecimal(unitPriceMicros, currency);
  const each = unit === 'decision' ? price : '0';
  const tiers = fields.tiers.map((tier) => ({ ...tier, price: each }));
  return { ...fields, currency, tiers, ...(unit === 'decision' ? {} : { period: unit, flat: price }) };
}

export function PriceFields({ of: price, dates }: { of: Price; dates: LicenseDates }) {
  const { choice, choose, offer, fields, change } = price;
  return (
    <>
      <Radio.Group label="Price" required value={choice ?? null} onChange={(value) => choose(value)}>
        <Stack gap={6} mt={4}>
          <Radio value="free" label="Free of charge: the license is never billed" />
          <Radio value="terms" label="Terms: prices, a least amount, a quota" description={offer && offered(offer)} />
        </Stack>
      </Radio.Group>
      {choice === 'terms' && <TermsForm fields={fields} faults={faultsOf(fields)} onChange={change} dates={dates} />}
    </>
  );
}

function offered(offer: Offer): string {
  const { features } = offer;
  return `Your offer: ${priceWords(offer)}${features.length === 0 ? '' : `, with ${features.join(', ')}`}.`;
}
