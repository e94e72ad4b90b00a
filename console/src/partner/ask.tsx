/** May I have this? A dry run for one address or id, with what would turn a denial. */
import { Button, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Answer } from '../api/client.ts';
import { priceWords } from '../offers/preview.tsx';
import { Panel } from '../parts/page.tsx';
import { formatLastDay, formatTime, Tags, Verdict, Words } from '../parts/show.tsx';
import { Failed } from '../parts/states.tsx';
import { useWork } from '../parts/work.ts';
import { permissionName } from '../policies/permissions.ts';
import { useConnection } from './api.ts';

type Entry = Answer<'POST /v1/me/access'>['data'][number];
type Access = Extract<Entry, { allowed: boolean }>;
type Remedy = Access['remedies'][number];

interface AskProps {
  /** Fills the request for a license of this kind. */
  onAskFor: (kind: string) => void;
}

export function Ask({ onAskFor }: AskProps) {
  const { call } = useConnection();
  const [what, setWhat] = useState('');
  const [purpose, setPurpose] = useState('');
  const [entry, setEntry] = useState<Entry>();
  const [busy, setBusy] = useState(false);
  const { error, start } = useWork(async () => {
    setBusy(true);
    setEntry(undefined);
    try {
      const target = isAddress(what) ? { url: what.trim() } : { contentId: what.trim() };
      const check = { ...target, ...(purpose.trim() === '' ? {} : { purpose: purpose.trim() }) };
      const { data } = await call('POST /v1/me/access', { body: { checks: [check] } });
      setEntry(data[0]);
    } finally {
      setBusy(false);
    }
  });
  return (
    <Panel title="May I have this?" lead="Nothing is recorded, and no limit is used.">
      <form onSubmit={start} className="fields">
        <TextInput
          label="Address or id"
          placeholder="https://…"
          value={what}
          onChange={(event) => setWhat(event.currentTarget.value)}
          autoCapitalize="none"
          spellCheck={false}
          required
          withAsterisk={false}
          maxLength={2048}
        />
        <TextInput
          label="Purpose"
          placeholder="training, search… (optional)"
          value={purpose}
          onChange={(event) => setPurpose(event.currentTarget.value)}
          autoCapitalize="none"
          maxLength={64}
        />
        <Button type="submit" loading={busy} disabled={what.trim() === ''}>
          Ask
        </Button>
      </form>
      <div aria-live="polite" className="below">
        {error !== undefined && <Failed error={error} />}
        {entry !== undefined && <AnswerView entry={entry} onAskFor={onAskFor} />}
      </div>
    </Panel>
  );
}

const isAddress = (text: string): boolean => /^\s*https?:\/\//i.test(text);

function AnswerView({ entry, onAskFor }: { entry: Entry } & AskProps) {
  if (!('allowed' in entry)) {
    return (
      <p className="partner-answer">
        <Words of={entry.error.message} />
      </p>
    );
  }
  const { allowed, reason, message, permissions, remedies, enforced } = entry;
  return (
    <div className="partner-answer">
      <Verdict reason={reason} />
      {message !== null && <p>{message}</p>}
      {allowed && permissions.length > 0 && (
        <p>
          You may use it for: <Tags of={permissions.map(permissionName)} />
        </p>
      )}
      {!enforced && <p className="soft">The publisher only observes this now: your requests are let through.</p>}
      {remedies.length > 0 && (
        <>
          <p>What would help:</p>
          <ul>
            {remedies.map((remedy) => (
              <li key={JSON.stringify(remedy)}>
                <RemedyWords of={remedy} onAskFor={onAskFor} />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function RemedyWords({ of: remedy, onAskFor }: { of: Remedy } & AskProps): ReactNode {
  switch (remedy.kind) {
    case 'license':
      return <LicenseRemedy of={remedy} onAskFor={onAskFor} />;
    case 'permission':
      return <>Ask for {remedy.permissions.map(permissionName).join(' or ')} instead: that is granted to you.</>;
    case 'verification':
      return <>Prove who you are by {remedy.verified.join(' or ')}.</>;
    case 'wait':
      return <>Wait until {formatTime(remedy.until)}.</>;
    case 'amend':
      return <>More units in your license. Ask the publisher to extend its terms.</>;
  }
}

function LicenseRemedy({ of, onAskFor }: { of: Extract<Remedy, { kind: 'license' }> } & AskProps) {
  const { licenseType, licenseFeatures, offers = [] } = of;
  const features = licenseFeatures.length === 0 ? '' : `, with ${licenseFeatures.join(' and ')}`;
  const kind = licenseType === null ? 'any kind' : `the kind ${licenseType.join(' or ')}`;
  return (
    <>
      A license of {kind}
      {features}.{' '}
      {offers.length === 0 && (
        <button type="button" className="link" onClick={() => onAskFor(licenseType?.[0] ?? '')}>
          Ask for it
        </button>
      )}
      {offers.length > 0 && <Offers of={offers} onAskFor={onAskFor} />}
    </>
  );
}

/** Offers, each with its price and a button that asks for it. */
export function Offers({ of, onAskFor, label = 'Offers' }: { of: readonly Offer[]; label?: string } & AskProps) {
  return (
    <ul className="partner-offers" aria-label={label}>
      {of.map((offer) => (
        <li key={JSON.stringify(offer)}>
          <OfferWords of={offer} />{' '}
          <button type="button" className="link" onClick={() => onAskFor(offer.licenseType)}>
            Ask for it
          </button>
        </li>
      ))}
    </ul>
  );
}

type Offer = NonNullable<Extract<Remedy, { kind: 'license' }>['offers']>[number];

function OfferWords({ of: offer }: { of: Offer }) {
  const { licenseType, features, unit, unitPriceMicros = null, currency = null, contact, url, validUntil } = offer;
  return (
    <>
      <strong>{licenseType}</strong>
      {features.length > 0 && `, with ${features.join(' and ')}`}: {priceWords({ unit, unitPriceMicros, currency })}
      {validUntil !== undefined && `, until ${formatLastDay(validUntil)}`}.{' '}
      {contact !== undefined && `Contact: ${contact}. `}
      {url !== undefined && (
        <a className="partner-link" href={url} target="_blank" rel="noreferrer">
          About this license
        </a>
      )}
    </>
  );
}
