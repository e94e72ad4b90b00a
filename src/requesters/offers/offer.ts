/**
 * An offer: what a license of a type costs, and how to get one. Visitors that a license would let in are shown it. It
 * never changes a decision, and Postern takes no payments.
 */
import { type Static, Type } from 'typebox';
import { firstValues, optional, schemas } from '../../lib/fields.ts';
import { orNull } from '../../lib/nullable.ts';
import { emailAddress } from '../requester.ts';

/** A price buys one access, or all of a month or a year. */
export const UNITS = ['decision', 'month', 'year'] as const;

/** A unit costs at most 1,000,000 of its currency, as in the terms of licenses. */
const PRICE_MAX = 1_000_000_000_000;

const token = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 128,
    pattern: '^[!-~]+$',
    description,
    expected: 'must be 1–128 visible ASCII characters',
  });

export const X402 = Type.Object(
  {
    scheme: Type.Optional(token('`exact` by default')),
    network: Type.String({
      pattern: '^[-a-z0-9]{3,16}:[-_a-zA-Z0-9]{1,32}$',
      description: 'A CAIP-2 network, such as `eip155:8453`',
      expected: 'must be a CAIP-2 network, such as eip155:8453',
    }),
    asset: token('The token: one of it is worth one unit of `currency`; or an ISO 4217 code'),
    payTo: token('The address that is paid, or a role such as `merchant`'),
    decimals: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 18, description: 'Digits of the token after the point, 6 by default' }),
    ),
    maxTimeoutSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 86_400,
        description: 'Seconds until a payment must be complete, 60 by default',
      }),
    ),
    extra: Type.Optional(
      Type.Object(
        {
          name: Type.Optional(token('Name of the token, such as `USDC`')),
          version: Type.Optional(token('Its version')),
        },
        { additionalProperties: false },
      ),
    ),
  },
  {
    additionalProperties: false,
    title: 'OfferX402',
    description: 'How a client of x402 may pay; a server of yours takes the payment',
  },
);
export type X402 = Static<typeof X402>;

/** A new field goes here and into the columns of `store`. */
const OPTIONAL = {
  features: optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      maxItems: 50,
      description: 'The features that such a license has; rules may ask for them',
    }),
    [],
  ),
  unit: optional(
    Type.Enum([...UNITS], { description: 'What the price buys: one access, a month or a year' }),
    'decision' as const,
  ),
  unitPriceMicros: optional(
    orNull(
      Type.Integer({ minimum: 0, maximum: PRICE_MAX }),
      'Price of a unit, in 1/1,000,000 of the currency; null: on request',
    ),
    null,
  ),
  currency: optional(orNull(Type.String({ format: 'currency' }), 'An ISO 4217 code'), null),
  contact: optional(orNull(emailAddress, 'The email address to write to'), null),
  url: optional(orNull(Type.String({ format: 'http-url', maxLength: 2048 }), 'The page about this license'), null),
  validUntil: optional(
    orNull(
      Type.String({ format: 'date-time', maxLength: 64 }),
      'The first time at which the offer is no longer shown; null: no end',
    ),
    null,
  ),
  x402: optional(orNull(X402), null),
};
export const FIRST_VALUES = firstValues(OPTIONAL);

/** The fields that publishers write, in the order of answers. */
export const FIELDS = schemas(OPTIONAL);
const Fields = Type.Object(FIELDS);
export type OfferFields = Static<typeof Fields>;

export interface Offer extends OfferFields {
  /** The offer's number in the store, never on the wire; 0 until it is stored. */
  no: number;
  id: string;
  licenseType: string;
  /** Empty: everywhere. */
  collectionId: string;
  /** Counts edits, from 1. */
  revision: number;
  createdAt: number;
  updatedAt: number;
}

export const OFFER_PREFIX = 'off_';

/** An entry of `accepts` in x402 version 2. */
export interface Requirement {
  scheme: string;
  network: string;
  /** In the smallest unit of the token. */
  amount: string;
  asset: string;
  payTo: string;
  maxTimeoutSeconds: number;
  extra?: { name?: string; version?: string };
}

/** An offer as visitors see it: only what it says. */
export interface Offered extends Pick<Offer, 'licenseType' | 'features' | 'unit'> {
  unitPriceMicros?: number;
  currency?: string;
  contact?: string;
  url?: string;
  validUntil?: string;
  x402?: Requirement;
}

const MICRO_DIGITS = 6;
const DECIMALS = 6;

/** Returns a price in the smallest unit of a token; undefined unless that is a whole number above zero. */
export function toAmount(micros: number, decimals: number = DECIMALS): string | undefined {
  const scaled = BigInt(micros) * 10n ** BigInt(decimals);
  const unit = 10n ** BigInt(MICRO_DIGITS);
  return scaled > 0n && scaled % unit === 0n ? String(scaled / unit) : undefined;
}

function toRequirement({ unitPriceMicros, x402 }: Offer): Requirement | undefined {
  if (x402 === null || unitPriceMicros === null) return undefined;
  const { scheme = 'exact', network, asset, payTo, decimals, maxTimeoutSeconds = 60, extra } = x402;
  const amount = toAmount(unitPriceMicros, decimals);
  if (amount === undefined) return undefined;
  return { scheme, network, amount, asset, payTo, maxTimeoutSeconds, ...(extra === undefined ? {} : { extra }) };
}

export function toOffered(offer: Offer): Offered {
  const { licenseType, features, unit, unitPriceMicros, currency, contact, url, validUntil } = offer;
  const x402 = toRequirement(offer);
  return {
    licenseType,
    features,
    unit,
    ...(unitPriceMicros === null || currency === null ? {} : { unitPriceMicros, currency }),
    ...(contact === null ? {} : { contact }),
    ...(url === null ? {} : { url }),
    ...(validUntil === null ? {} : { validUntil }),
    ...(x402 === undefined ? {} : { x402 }),
  };
}
