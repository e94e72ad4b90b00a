/** Licences on a line of time, from the first that began to the last that ends; and what can be done with each. */
import { Chip, dayOf } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import { LicenseActions } from './license-actions.tsx';
import { type License, scopeWords, stateOf } from './types.ts';

const YEAR_MS = 365 * 86_400_000;

export function LicenseLine({ licenses }: { licenses: readonly License[] }) {
  if (licenses.length === 0) return <Empty title="No licence">Rules that ask for one do not let it pass.</Empty>;
  const now = Date.now();
  const from = Math.min(now - YEAR_MS / 12, ...licenses.map(startOf));
  // One without an end goes on; a year from now is as far as one looks, unless another one ends later.
  const to = Math.max(
    now + YEAR_MS / 4,
    ...licenses.map(({ expiresAt }) => (expiresAt === null ? 0 : Math.min(Date.parse(expiresAt), now + 3 * YEAR_MS))),
  );
  const left = (at: number): number => (100 * (Math.min(Math.max(at, from), to) - from)) / (to - from);
  return (
    <ol className="license-line">
      {licenses.map((license) => {
        const { word, tone } = stateOf(license);
        const start = left(startOf(license));
        const end = license.expiresAt === null ? 100 : left(Date.parse(license.expiresAt));
        return (
          <li key={license.id}>
            <div className="license-what">
              <strong>{license.type}</strong> <Chip tone={tone}>{word}</Chip>
              <span className="under">
                {scopeWords(license.scope)}
                {license.features.length > 0 && ` · ${license.features.join(', ')}`}
              </span>
            </div>
            <div className="license-time">
              <div className="track" aria-hidden="true">
                <span
                  className={`span ${tone ?? ''}`}
                  style={{ left: `${start}%`, width: `${Math.max(1, end - start)}%` }}
                />
                <span className="today" style={{ left: `${left(now)}%` }} />
              </div>
              <span className="under">
                {dayOf(license.startsAt ?? license.created)} –{' '}
                {license.expiresAt === null ? 'no end' : dayOf(license.expiresAt)}
              </span>
            </div>
            <LicenseActions license={license} />
          </li>
        );
      })}
    </ol>
  );
}

const startOf = ({ startsAt, created }: License): number => Date.parse(startsAt ?? created);
