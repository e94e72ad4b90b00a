/** Counts the items of a policy; offers the first step when there are none. */
import { Alert, Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { useRead } from '../api/read.ts';
import { pluralize } from '../parts/plural.ts';
import { useMay } from '../shell/session.tsx';
import type { Policy } from './rules.ts';

function useItemCount(policyId: string): number | undefined {
  const may = useMay('content:read');
  return useRead('GET /v1/content', { query: { policyId, limit: 1 } }, { enabled: may }).data?.totalCount;
}

export function ItemsUnder({ policyId }: { policyId: string }) {
  const count = useItemCount(policyId);
  return <Link href={`/content?policyId=${policyId}`}>{count === undefined ? 'Items' : pluralize(count, 'item')}</Link>;
}

export function AppliesToNone({ policy }: { policy: Policy }) {
  const count = useItemCount(policy.id);
  if (count !== 0) return null;
  return (
    <Alert color="gray" mb="md" title="This policy applies to no content yet">
      {policy.isDefault && 'Content that you add without a policy gets it. '}
      <Anchor component={Link} size="sm" href="/content">
        Choose content
      </Anchor>{' '}
      and set its policy.
    </Alert>
  );
}
