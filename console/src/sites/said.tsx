/** The statements of a site, the ones that no format can make, and contradictions. */
import { Alert, Button, Tooltip } from '@mantine/core';
import { Link } from 'wouter';
import type { Answer } from '../api/client.ts';
import { useRead } from '../api/read.ts';
import { CollectionLink } from '../collections/names.tsx';
import { type Column, List } from '../parts/list.tsx';
import { Panel } from '../parts/page.tsx';
import { pluralize } from '../parts/plural.ts';
import { Chip, formatCount, reasonName, Words } from '../parts/show.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { PolicyLink } from '../policies/policy-link.tsx';
import { USES, variesWords } from './words.ts';

type Report = Answer<'GET /v1/sites/{host}/signals/report'>;
type Statement = Report['statements'][number];
type Said = Statement['answers'][number];
type Published = Said['access'];

const SHOWN = 50;
const NAMES_SHOWN = 8;

export function Said({ host }: { host: string }) {
  const report = useRead('GET /v1/sites/{host}/signals/report', { path: { host }, query: { limit: SHOWN } });
  return (
    <Loaded of={report} rows={6}>
      {(data) => (
        <>
          <Contradictions of={data.contradictions} />
          <BaseContradicts of={data.baseContradicts} />
          <Panel
            title="Said to crawlers"
            lead="The first address that fits a page holds for it. Each answer is that of the rules that decide."
          >
            {data.statements.length === 0 ? <NothingToSay host={host} /> : <Statements report={data} />}
          </Panel>
          {data.cannotExpress.length > 0 && <CannotExpress of={data.cannotExpress} />}
        </>
      )}
    </Loaded>
  );
}

const NothingToSay = ({ host }: { host: string }) => (
  <Empty
    title="Nothing to say yet"
    action={
      <Button component={Link} href={`/collections/new?${new URLSearchParams({ host, path: '/' })}`} variant="default">
        Give the site a policy
      </Button>
    }
  >
    No collection and no item is at this host.
  </Empty>
);

function Contradictions({ of }: { of: Report['contradictions'] }) {
  if (of.length === 0) return null;
  return (
    <Alert color="red" title="A file says something else than the policies">
      {of.map(({ pattern, crawler, message }) => (
        <div key={`${pattern} ${crawler}`}>{message}</div>
      ))}
    </Alert>
  );
}

function BaseContradicts({ of }: { of: Report['baseContradicts'] }) {
  if (of.length === 0) return null;
  return (
    <Alert color="yellow" title="Your own robots.txt says something else than the policies">
      {of.map(({ line, crawler, message }) => (
        <div key={`${line} ${crawler}`}>{message}</div>
      ))}
      <div>Postern does not change these lines. Remove them, or change the policies.</div>
    </Alert>
  );
}

interface Line extends Said {
  key: string;
  statement: Statement;
  /** The first line of its statement shows the address. */
  isFirst: boolean;
}

function Statements({ report: { statements, totalCount } }: { report: Report }) {
  const lines = statements
    .filter(({ free }) => !free)
    .flatMap((statement) =>
      statement.answers.map((answer, i) => ({
        ...answer,
        key: `${statement.pattern} ${i}`,
        statement,
        isFirst: i === 0,
      })),
    );
  const free = statements.filter((statement) => statement.free).map(({ pattern }) => pattern.replace(/\$$/, ''));
  return (
    <>
      <List caption="Statements" records={lines} idOf={({ key }) => key} columns={COLUMNS} />
      <p className="soft small">
        {free.length > 0 && `Always free: ${free.join(', ')}. `}
        {totalCount > statements.length && `${formatCount(totalCount - statements.length)} more.`}
      </p>
    </>
  );
}

const COLUMNS: readonly Column<Line>[] = [
  { label: 'Address', show: ({ statement, isFirst }) => isFirst && <Address of={statement} /> },
  { label: 'To', show: ({ crawlers, crawlerCount }) => <Crawlers names={crawlers} count={crawlerCount} /> },
  { label: 'May read', narrow: true, show: ({ access }) => <Yes of={access} /> },
  ...Object.entries(USES).map(([use, label]) => ({
    label,
    narrow: true,
    show: ({ uses }: Line) => <Yes of={uses[use as keyof Line['uses']]} />,
  })),
];

function Address({ of: { pattern, policyId, collectionId, observed } }: { of: Statement }) {
  return (
    <>
      <code>{pattern}</code>
      <span className="under">
        {policyId !== null && <PolicyLink id={policyId} />}
        {collectionId !== null && (
          <>
            {policyId !== null && ' · '}
            <CollectionLink id={collectionId} />
          </>
        )}
        {observed && ' · not enforced yet'}
      </span>
    </>
  );
}

/** Everybody else needs no names beside it. */
function Crawlers({ names, count }: { names: readonly string[]; count: number }) {
  const isRest = names.includes('*');
  const shown = isRest ? ['everybody else'] : names.slice(0, NAMES_SHOWN);
  const rest = count - shown.length;
  return (
    <div className="word">
      {shown.join(', ')}
      {rest > 0 && (
        <span className="under">
          {isRest ? `with ${pluralize(rest, 'known crawler')}` : `and ${formatCount(rest)} more`}
        </span>
      )}
    </div>
  );
}

function Yes({ of: { allowed, reason, varies } }: { of: Published }) {
  const chip = <Chip tone={allowed ? 'allowed' : 'denied'}>{allowed ? 'yes' : 'no'}</Chip>;
  const why = varies.length > 0 ? variesWords(varies) : reason === null ? undefined : reasonName(reason);
  return why === undefined ? chip : <Tooltip label={why}>{chip}</Tooltip>;
}

function CannotExpress({ of }: { of: Report['cannotExpress'] }) {
  return (
    <Panel
      title="Cannot be said"
      lead="No format has words for these. What is published instead is stricter than what is enforced."
    >
      <ul className="plain">
        {of.map(({ kind, about, message }) => (
          <li key={`${kind} ${message}`}>
            <Words of={message} />
            {about.length > 0 && <span className="soft small"> {listOf(about)}</span>}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const listOf = (names: readonly string[]): string =>
  names.slice(0, NAMES_SHOWN).join(', ') +
  (names.length > NAMES_SHOWN ? ` and ${formatCount(names.length - NAMES_SHOWN)} more` : '');
