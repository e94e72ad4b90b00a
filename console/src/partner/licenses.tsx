/** The licenses of the partner: state, term, quota, terms in words. */

import { QuotaBar } from '../licenses/running-period.tsx';
import { TermsSummary } from '../licenses/terms-summary.tsx';
import { List } from '../parts/list.tsx';
import { Panel } from '../parts/page.tsx';
import { Chip, formatDay } from '../parts/show.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { getState, lastDayWords, scopeWords } from '../requesters/types.ts';
import { type License, useOwn } from './api.ts';
import { Running } from './running.tsx';

/** `current`: those that are valid or begin later. */
export function Licenses({ current }: { current: readonly License[] }) {
  const all = useOwn('GET /v1/me/licenses', { query: { limit: 100 } });
  const shown = new Set(current.map(({ id }) => id));
  return (
    <Panel title="Licenses" lead="What you may use, and until when.">
      {current.length === 0 && (
        <Empty title="No license in force">Ask the publisher for one below; the answer appears on this page.</Empty>
      )}
      <div className="partner-licenses">
        {current.map((license) => (
          <LicenseCard key={license.id} license={license} />
        ))}
      </div>
      <Loaded of={all} rows={1}>
        {({ data }) => <Ended licenses={data.filter(({ id }) => !shown.has(id))} />}
      </Loaded>
    </Panel>
  );
}

function LicenseCard({ license }: { license: License }) {
  const { id, type, features, terms, quota } = license;
  return (
    <article className="partner-license" aria-labelledby={id}>
      <div className="top-line">
        <h3 id={id}>{type}</h3>
        <State of={license} />
      </div>
      <p className="soft">
        {term(license)}
        {features.length > 0 && `, with ${features.join(', ')}`}
      </p>
      <p className="soft">For {scope(license)}</p>
      {quota != null && (
        <QuotaBar
          quota={quota}
          alerts={(terms?.alerts ?? []).map((at) => ({ at, reached: quota.used >= at * quota.units }))}
          zone={terms?.timezone}
        />
      )}
      {terms !== null && <Running licenseId={id} zone={terms.timezone} />}
      {terms !== null && (
        <details>
          <summary>Terms{terms.reference === undefined ? '' : `: ${terms.reference}`}</summary>
          <TermsSummary terms={terms} />
        </details>
      )}
    </article>
  );
}

function State({ of }: { of: License }) {
  const { word, tone } = getState(of);
  return <Chip tone={tone}>{word}</Chip>;
}

const term = ({ startsAt, created, expiresAt }: License): string =>
  `${formatDay(startsAt ?? created)} – ${expiresAt === null ? 'no end' : lastDayWords(expiresAt)}`;

function scope({ scope: of }: License): string {
  const words = scopeWords(of);
  return of?.isNarrower === true ? `a part of ${words}: ask for the items in question` : words;
}

function Ended({ licenses }: { licenses: readonly License[] }) {
  if (licenses.length === 0) return null;
  return (
    <details className="below">
      <summary>Ended and suspended ({licenses.length})</summary>
      <List
        caption="Ended and suspended licenses"
        records={licenses}
        idOf={({ id }) => id}
        columns={[
          { label: 'Kind', show: ({ type }) => type },
          { label: 'For', show: scope },
          { label: 'First – last day', show: term },
          { label: 'State', narrow: true, show: (license) => <State of={license} /> },
        ]}
      />
    </details>
  );
}
