/** Counts the items and collections of a policy; offers the first step when there are none. */
import { Alert, Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { useRead } from '../api/read.ts';
import { pluralize } from '../parts/plural.ts';
import { useMay } from '../shell/session.tsx';
import type { Policy } from './rules.ts';

function useCount(of: 'GET /v1/content' | 'GET /v1/collections', policyId: string): number | undefined {
  const may = useMay('content:read');
  return useRead(of, { query: { policyId, limit: 1 } }, { enabled: may }).data?.totalCount;
}

export function ItemsUnder({ policyId }: { policyId: string }) {
  const items = useCount('GET /v1/content', policyId);
  const collections = useCount('GET /v1/collections', policyId);
  return (
    <>
      <Link href={`/content?policyId=${policyId}`}>{items === undefined ? 'Items' : pluralize(items, 'item')}</Link>
      {collections !== undefined && collections > 0 && (
        <>
          {' · '}
          <Link href={`/collections?policyId=${policyId}`}>{pluralize(collections, 'collection')}</Link>
        </>
      )}
    </>
  );
}

export function AppliesToNone({ policy }: { policy: Policy }) {
  const items = useCount('GET /v1/content', policy.id);
  const collections = useCount('GET /v1/collections', policy.id);
  if (items !== 0 || collections !== 0) return null;
  return (
    <Alert color="gray" mb="md" title="This policy applies to no content yet">
      {policy.isDefault && 'Content that you add without a policy gets it. '}
      <Anchor component={Link} size="sm" href="/content">
        Choose content
      </Anchor>{' '}
      or a{' '}
      <Anchor component={Link} size="sm" href="/collections">
        collection
      </Anchor>{' '}
      and set its policy.
    </Alert>
  );
}
