/** The inbox: the licenses that partners ask for, and the answers. */
import { Button, SegmentedControl } from '@mantine/core';
import { Link } from 'wouter';
import { CollectionLink } from '../collections/names.tsx';
import { useFilters } from '../parts/filters.ts';
import { IconInbox } from '../parts/icons.ts';
import type { Column } from '../parts/list.tsx';
import { PageHead } from '../parts/page.tsx';
import { PagedList } from '../parts/paged-list.tsx';
import { Chip, Time } from '../parts/show.tsx';
import { Empty } from '../parts/states.tsx';
import { PartnerChoice } from '../requesters/partner-choice.tsx';
import { PartnerName } from '../requesters/partner-name.tsx';
import { Answers } from './answers.tsx';
import { type LicenseRequest, REQUEST_STATES } from './types.ts';

const COLUMNS: readonly Column<LicenseRequest>[] = [
  {
    label: 'Partner',
    show: ({ requesterId }) => (
      <div className="word">
        <PartnerName id={requesterId} />
      </div>
    ),
  },
  {
    label: 'Asks for',
    show: ({ licenseType, collectionId, note }) => (
      <div className="word">
        <strong>{licenseType}</strong>
        {collectionId !== null && (
          <span className="under">
            in <CollectionLink id={collectionId} />
          </span>
        )}
        {note !== null && <span className="under">{note}</span>}
      </div>
    ),
  },
  { label: 'Asked', narrow: true, show: ({ created }) => <Time at={created} /> },
  {
    label: 'State',
    show: ({ status, answer, licenseId }) => (
      <div className="word">
        <Chip tone={REQUEST_STATES[status].tone}>{REQUEST_STATES[status].word}</Chip>
        {licenseId !== null && (
          <span className="under">
            <Link href={`/licenses/${licenseId}`}>The license</Link>
          </span>
        )}
        {answer !== null && <span className="under">{answer}</span>}
      </div>
    ),
  },
  { label: '', narrow: true, show: (request) => request.status === 'open' && <Answers of={request} /> },
];

export default function RequestsPage() {
  const { values, set } = useFilters();
  const { status = 'open', requesterId } = values;
  // The first view is no filter: without open requests, it says what the page is for.
  const isFirst = values.status === undefined;
  return (
    <>
      <PageHead title="Requests" lead="Licenses that partners ask for. They read your answer on their own page." />
      <div className="filters" role="search">
        <SegmentedControl
          aria-label="State"
          data={[
            { value: 'open', label: 'Open' },
            { value: 'granted', label: 'Granted' },
            { value: 'declined', label: 'Declined' },
            { value: 'all', label: 'All' },
          ]}
          value={status}
          onChange={(chosen) => set({ status: chosen === 'open' ? null : chosen })}
        />
        <PartnerChoice
          label="Partner"
          bare
          placeholder="Partner"
          w={220}
          value={requesterId ?? ''}
          onChange={(id) => set({ requesterId: id })}
        />
      </div>
      <div className="panel">
        <PagedList
          caption="Requests for licenses"
          of="GET /v1/license-requests"
          filter={{ requesterId, status: isFirst || status === 'all' ? undefined : status }}
          query={isFirst ? { status } : {}}
          noun={['request', 'requests']}
          empty={
            <Empty
              icon={<IconInbox size={36} stroke={1.3} />}
              title={isFirst ? 'No open requests' : 'No requests yet'}
              action={
                <Button component={Link} href="/requesters" variant="default">
                  Choose a partner
                </Button>
              }
            >
              Partners ask for a license at <code>{location.origin}/partner</code>. Create a token on the page of a
              partner, and send it both.
            </Empty>
          }
          columns={COLUMNS}
        />
      </div>
    </>
  );
}
