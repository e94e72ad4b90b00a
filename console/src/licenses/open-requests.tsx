/** Requests of partners, shown where a license is given. */
import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { useRead } from '../api/read.ts';
import { CollectionLink } from '../collections/names.tsx';
import { pluralize } from '../parts/plural.ts';
import { Time } from '../parts/show.tsx';
import { PartnerName } from '../requesters/partner-name.tsx';
import type { LicenseRequest } from '../requests/types.ts';

export function AskedFor({
  request: { requesterId, licenseType, collectionId, note, created },
}: {
  request: LicenseRequest;
}) {
  return (
    <section className="asked" aria-label="What was asked for">
      <div>
        <PartnerName id={requesterId} />
      </div>
      <p>
        asks for <strong>{licenseType}</strong>, for{' '}
        {collectionId === null ? 'everything' : <CollectionLink id={collectionId} />} (<Time at={created} />)
      </p>
      {note !== null && <blockquote>{note}</blockquote>}
    </section>
  );
}

/** The open requests of a partner that is about to get a license in another way. */
export function OpenRequests({ requesterId }: { requesterId: string }) {
  const query = { requesterId, status: 'open' as const, limit: 5 };
  const requests = useRead('GET /v1/license-requests', { query }, { enabled: requesterId !== '' });
  const { data = [], totalCount = 0 } = requests.data ?? {};
  if (data.length === 0) return null;
  return (
    <>
      {data.map((request) => (
        <AskedFor key={request.id} request={request} />
      ))}
      <Anchor component={Link} size="sm" href={`/requests?requesterId=${encodeURIComponent(requesterId)}`}>
        Answer {pluralize(totalCount, 'open request')} instead
      </Anchor>
    </>
  );
}
