/** The parts of a page: its head, with its API requests as curl commands; panels; the facts of a record. */
import { Anchor } from '@mantine/core';
import { Fragment, type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';
import { CopyAsCurl } from './curl.tsx';
import { WithinPanel } from './within.ts';

interface PageHeadProps {
  title: string;
  lead?: ReactNode;
  /** The parent page. */
  under?: { path: string; label: string };
  actions?: ReactNode;
}

export function PageHead({ title, lead, under, actions }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} · Postern`;
  }, [title]);
  return (
    <div className="head">
      <div>
        {under !== undefined && (
          <div className="crumbs">
            <Anchor component={Link} href={under.path} size="sm">
              {under.label}
            </Anchor>{' '}
            /
          </div>
        )}
        <h1>{title}</h1>
        {lead !== undefined && <div className="lead">{lead}</div>}
      </div>
      <div className="actions">
        {actions}
        <CopyAsCurl />
      </div>
    </div>
  );
}

interface PanelProps {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function Panel({ title, lead, actions, children }: PanelProps) {
  return (
    <section className="panel" aria-label={title}>
      <header>
        <div>
          <h2>{title}</h2>
          {lead !== undefined && <p>{lead}</p>}
        </div>
        {actions}
      </header>
      <WithinPanel value={true}>{children}</WithinPanel>
    </section>
  );
}

/** Names and values; a value of null or false is left out. */
export function Facts({ of }: { of: Record<string, ReactNode> }) {
  return (
    <dl className="facts">
      {Object.entries(of).map(
        ([name, value]) =>
          value !== null &&
          value !== false && (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </Fragment>
          ),
      )}
    </dl>
  );
}
