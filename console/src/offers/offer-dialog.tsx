/** The dialog that creates or edits an offer, beside what a denied visitor will see of it. */
import { Autocomplete, Select, TagsInput, TextInput } from '@mantine/core';
import { type ChangeEvent, useState } from 'react';
import type { Body } from '../api/client.ts';
import { findRecord, tagOf, useOpened } from '../api/opened.ts';
import { useWrite } from '../api/read.ts';
import { useCollectionChoices } from '../collections/names.tsx';
import { amountFault, parseMicros, toDecimal } from '../licenses/money.ts';
import { lastDayIn, toInstants } from '../licenses/term.ts';
import { Dialog } from '../parts/dialog.tsx';
import { FormFoot } from '../parts/form-foot.tsx';
import { notify } from '../parts/notices.tsx';
import { toRefused } from '../parts/refused.ts';
import { useWork } from '../parts/work.ts';
import { useRequiredLicenses } from '../policies/use-required-licenses.ts';
import type { Offer } from './offer.ts';
import { Preview } from './preview.tsx';

interface Fields {
  licenseType: string;
  collectionId: string | null;
  features: string[];
  unit: Offer['unit'];
  /** The text of the field. */
  price: string;
  currency: string;
  contact: string;
  url: string;
  /** The last day on which it is shown; empty: no end. */
  last: string;
}

const NEW: Fields = {
  licenseType: '',
  collectionId: null,
  features: [],
  unit: 'decision',
  price: '',
  currency: 'USD',
  contact: '',
  url: '',
  last: '',
};

function toFields({ unitPriceMicros, currency, contact, url, validUntil, ...fields }: Offer): Fields {
  const price = unitPriceMicros === null || currency === null ? '' : toDecimal(unitPriceMicros, currency);
  return {
    ...fields,
    price,
    currency: currency ?? NEW.currency,
    contact: contact ?? '',
    url: url ?? '',
    last: lastDayIn(validUntil),
  };
}

/** The price as far as it is typed; null: none. */
function priceOf({ price, currency }: Fields): { unitPriceMicros: number; currency: string } | null | undefined {
  if (price.trim() === '') return null;
  const unitPriceMicros = parseMicros(price);
  return unitPriceMicros === undefined ? undefined : { unitPriceMicros, currency };
}

const NO_PRICE = { unitPriceMicros: null, currency: null };

/** `before`: the form keeps what it does not show. */
function toBody(fields: Fields, before: Offer | undefined): Body<'PUT /v1/offers/{licenseType}'> {
  const { features, unit, contact, url, last } = fields;
  const term = { startsAt: null, expiresAt: before?.validUntil ?? null };
  return {
    features,
    unit,
    ...(priceOf(fields) ?? NO_PRICE),
    contact: contact.trim() || null,
    url: url.trim() || null,
    validUntil: toInstants('', last, term).expiresAt,
    x402: before?.x402 ?? null,
  };
}

interface DialogProps {
  /** Absent to create one. */
  offer?: Offer;
  onClose: () => void;
}

export function OfferDialog({ offer: shown, onClose }: DialogProps) {
  const offer = useOpened(shown);
  const write = useWrite();
  const [fields, setFields] = useState(() => (offer === undefined ? NEW : toFields(offer)));
  const change = (changed: Partial<Fields>) => setFields({ ...fields, ...changed });
  const price = priceOf(fields);
  const { busy, error, start } = useWork(async () => {
    const { licenseType, collectionId } = fields;
    const named = {
      path: { licenseType: licenseType.trim() },
      query: collectionId === null ? {} : { collectionId },
    };
    if (offer === undefined && (await findRecord('GET /v1/offers/{licenseType}', named)) !== undefined) {
      throw new Error('This kind is offered there already. Edit that offer, or choose another kind or place.');
    }
    const ifMatch = offer && (await tagOf('GET /v1/offers/{licenseType}', named, offer));
    await write('PUT /v1/offers/{licenseType}', { ...named, ifMatch, body: toBody(fields, offer) });
    notify('Denials name this offer from now on.');
    onClose();
  });
  const { at: errorOf, elsewhere } = toRefused(error, LABELS, { features: fields.features });
  const part = { fields, change, errorOf };
  const title = offer === undefined ? 'Offer a license' : `Offer of ${offer.licenseType}`;
  return (
    <Dialog onClose={onClose} title={title} size="lg">
      <form onSubmit={start} className="fields">
        <NameFields {...part} isFixed={offer !== undefined} />
        <PriceFields {...part} />
        <AddressFields {...part} />
        <Preview of={{ ...fields, ...(price ?? NO_PRICE), contact: fields.contact || null, url: fields.url || null }} />
        <FormFoot
          error={elsewhere}
          busy={busy}
          action={offer === undefined ? 'Offer' : 'Save'}
          disabled={price === undefined}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}

interface PartProps {
  fields: Fields;
  change: (changed: Partial<Fields>) => void;
  /** `name`: of the field in the API. */
  errorOf: (name: string) => string | undefined;
}

const LABELS = {
  licenseType: 'Kind of license',
  collectionId: 'Where',
  features: 'Extras',
  unitPriceMicros: 'Price',
  currency: 'Currency',
  contact: 'Email address',
  url: 'Page about this license',
  validUntil: 'Last day',
};

/** Binds a text field. */
const typed = (name: 'price' | 'contact' | 'url' | 'last', { fields, change, errorOf }: PartProps) => ({
  value: fields[name],
  error: errorOf({ price: 'unitPriceMicros', contact: 'contact', url: 'url', last: 'validUntil' }[name]),
  onChange: (event: ChangeEvent<HTMLInputElement>) => change({ [name]: event.currentTarget.value }),
});

/** The kind and the place name an offer: they stay. */
function NameFields({ fields, change, errorOf, isFixed }: PartProps & { isFixed: boolean }) {
  const required = useRequiredLicenses();
  const choices = useCollectionChoices();
  return (
    <>
      <div className="pair">
        <Autocomplete
          label="Kind of license"
          description="One that your rules ask for."
          data={required?.kinds ?? []}
          value={fields.licenseType}
          error={errorOf('licenseType')}
          onChange={(licenseType) => change({ licenseType })}
          maxLength={64}
          disabled={isFixed}
          required
          data-autofocus
        />
        <Select
          label="Where"
          description="That of a collection counts first."
          placeholder="Everywhere"
          data={choices}
          value={fields.collectionId}
          error={errorOf('collectionId')}
          onChange={(collectionId) => change({ collectionId })}
          disabled={isFixed}
          clearable
          searchable
        />
      </div>
      <TagsInput
        label="Extras"
        description="That such a license includes; rules may ask for them."
        data={required?.features ?? []}
        value={fields.features}
        error={errorOf('features')}
        onChange={(features) => change({ features })}
      />
    </>
  );
}

const UNITS = [
  { value: 'decision', label: 'per access' },
  { value: 'month', label: 'per month' },
  { value: 'year', label: 'per year' },
] as const;

function PriceFields(part: PartProps) {
  const { fields, change, errorOf } = part;
  return (
    <div className="pair">
      <TextInput
        label="Price"
        description="Empty: on request"
        placeholder="0.005"
        {...typed('price', part)}
        error={priceOf(fields) === undefined ? amountFault(fields.price) : errorOf('unitPriceMicros')}
        inputMode="decimal"
      />
      <TextInput
        label="Currency"
        description="Cloudflare bills in USD"
        value={fields.currency}
        error={errorOf('currency')}
        onChange={(event) => change({ currency: event.currentTarget.value.toUpperCase() })}
        maxLength={3}
      />
      <Select
        label="Unit"
        description="The price buys"
        data={UNITS}
        value={fields.unit}
        onChange={(unit) => change({ unit: unit ?? 'decision' })}
        allowDeselect={false}
      />
    </div>
  );
}

function AddressFields(part: PartProps) {
  return (
    <div className="pair">
      <TextInput
        label="Email address"
        description="Whom to write to"
        placeholder="licensing@example.com"
        {...typed('contact', part)}
        maxLength={254}
      />
      <TextInput
        label="Page about this license"
        description="A web address"
        type="url"
        {...typed('url', part)}
        maxLength={2048}
      />
      <TextInput label="Last day" description="Included; empty: no end" type="date" {...typed('last', part)} />
    </div>
  );
}
