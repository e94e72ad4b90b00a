/** The page of a license: its running period, terms and statements. */
import { Anchor } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { useRead } from '../api/read.ts';
import { CollectionLink } from '../collections/names.tsx';
import { MayButton } from '../parts/act.tsx';
import { Id } from '../parts/copy.tsx';
import { LoadedPage } from '../parts/loaded-page.tsx';
import { Facts, PageHead, Panel } from '../parts/page.tsx';
import { useId } from '../parts/params.ts';
import { Chip, formatDay, Tags, Time } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import { PartnerName } from '../requesters/partner-name.tsx';
import { coverWords, getState, type License, lastDayWords } from '../requesters/types.ts';
import { useMay, useMayInSecret } from '../shell/session.tsx';
import { StatementsOf } from '../statements/of-license.tsx';
import { LicenseActions } from './license-actions.tsx';
import './licenses.css';
import { RunningPeriod } from './running-period.tsx';
import { TermsEditor } from './terms-editor.tsx';
import { TermsSummary, TermsVersions } from './terms-summary.tsx';

const UNDER = { path: '/licenses', label: 'Licenses' };

export default function LicensePage() {
  const id = useId();
  const license = useRead('GET /v1/licenses/{id}', { path: { id } });
  return (
    <LoadedPage of={license} under={UNDER}>
      {(data) => <LicenseView license={data} />}
    </LoadedPage>
  );
}

function LicenseView({ license }: { license: License }) {
  const maySeeBills = useMayInSecret('requesters:read');
  const mayAnalyze = useMay('analytics:read');
  const { word, tone } = getState(license);
  const hasTerms = license.terms !== null || license.termsVersion !== null;
  return (
    <>
      <PageHead
        title={license.terms?.reference ?? `License ${license.type}`}
        under={UNDER}
        lead={
          <span className="tags">
            <Chip tone={tone}>{word}</Chip> <Chip>{license.type}</Chip> <PartnerName id={license.requesterId} />
          </span>
        }
        actions={<LicenseActions license={license} />}
      />
      <div className="stack">
        {hasTerms && maySeeBills && <RunningPeriod id={license.id} zone={license.terms?.timezone} />}
        <div className="columns">
          <TermsPanel license={license} />
          <Panel
            title="Details"
            actions={
              mayAnalyze && (
                <Anchor component={Link} size="sm" href={`/decisions?licenseId=${license.id}`}>
                  Its decisions
                </Anchor>
              )
            }
          >
            <Details license={license} />
          </Panel>
        </div>
        {hasTerms && maySeeBills && <StatementsOf licenseId={license.id} />}
        {(license.termsVersion ?? 0) > 1 && <TermsVersions id={license.id} />}
      </div>
    </>
  );
}

function Details({ license }: { license: License }) {
  const { id, features, scope, startsAt, created, expiresAt } = license;
  return (
    <Facts
      of={{
        Id: <Id of={id} />,
        Extras: <Tags of={features} />,
        For: coverWords(license),
        ...(scope?.collectionIds?.length && {
          Collections: scope.collectionIds.map((one) => (
            <div key={one}>
              <CollectionLink id={one} />
            </div>
          )),
        }),
        'First day': formatDay(startsAt ?? created),
        'Last day': expiresAt === null ? 'no end' : lastDayWords(expiresAt),
        Created: <Time at={created} />,
      }}
    />
  );
}

function TermsPanel({ license }: { license: License }) {
  const [editing, setEditing] = useState(false);
  const { terms, termsEffectiveAt, status } = license;
  const edit = (
    <MayButton
      permission="requesters:write"
      size="compact-sm"
      variant="default"
      because={status === 'revoked' ? 'The license is revoked.' : undefined}
      onClick={() => setEditing(true)}
    >
      {terms === null ? 'Add terms' : 'Edit terms'}
    </MayButton>
  );
  const isPending = termsEffectiveAt !== null && Date.parse(termsEffectiveAt) > Date.now();
  return (
    <Panel
      title="Terms"
      lead={isPending ? `In force from ${formatDay(termsEffectiveAt)}.` : undefined}
      actions={terms !== null && edit}
    >
      {terms === null ? (
        <Empty title="No terms" action={edit}>
          With terms, Postern counts what this license uses, and makes its statements: prices, a least amount, a quota.
        </Empty>
      ) : (
        <TermsSummary terms={terms} />
      )}
      {editing && <TermsEditor license={license} onClose={() => setEditing(false)} />}
    </Panel>
  );
}
