/** Licenses on a timeline, with their actions. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Chip, formatDay } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import { LicenseActions } from './license-actions.tsx';
import './licenses.css';
import { coverWords, getState, type License, lastDayWords } from '../requesters/types.ts';

const YEAR_MS = 365 * 86_400_000;

interface LicenseLineProps {
  licenses: readonly License[];
  /** Creates the first one. */
  create: ReactNode;
}

export function LicenseLine({ licenses, create }: LicenseLineProps) {
  if (licenses.length === 0)
    return (
      <Empty title="No license" action={create}>
        Rules that ask for a license deny this partner.
      </Empty>
    );
  const now = Date.now();
  const from = Math.min(now - YEAR_MS / 12, ...licenses.map(startOf));
  // A license without an end extends three months ahead, or three years where another license ends later.
  const to = Math.max(
    now + YEAR_MS / 4,
    ...licenses.map(({ expiresAt }) => (expiresAt === null ? 0 : Math.min(Date.parse(expiresAt), now + 3 * YEAR_MS))),
  );
  const left = (at: number): number => (100 * (Math.min(Math.max(at, from), to) - from)) / (to - from);
  return (
    <ol className="license-line">
      {licenses.map((license) => {
        const { word, tone } = getState(license);
        const start = left(startOf(license));
        const end = license.expiresAt === null ? 100 : left(Date.parse(license.expiresAt));
        return (
          <li key={license.id}>
            <div className="license-what">
              <Link href={`/licenses/${license.id}`}>
                <strong>{license.type}</strong>
              </Link>{' '}
              <Chip tone={tone}>{word}</Chip>
              <span className="under">
                {license.terms?.reference !== undefined && `${license.terms.reference} · `}
                {coverWords(license)}
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
                {formatDay(license.startsAt ?? license.created)} –{' '}
                {license.expiresAt === null ? 'no end' : lastDayWords(license.expiresAt)}
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
