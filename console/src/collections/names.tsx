/** Names of collections, for choices and in place of ids; and where the policy of an item comes from. */
import { Link } from 'wouter';
import { useRead } from '../api/read.ts';
import type { PolicyChoice } from '../policies/names.ts';
import { PolicyLink } from '../policies/policy-link.tsx';
import { useMay } from '../shell/session.tsx';

/** Returns the newest hundred; none if the key may not read them. */
export function useCollectionChoices(wanted = true): PolicyChoice[] {
  const may = useMay('content:read');
  const collections = useRead('GET /v1/collections', { query: { limit: 100 } }, { enabled: may && wanted });
  return (collections.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
}

/** Reads a name by itself where it is not among the newest. */
export function CollectionLink({ id }: { id: string }) {
  const may = useMay('content:read');
  const choices = useCollectionChoices();
  const known = choices.find(({ value }) => value === id)?.label;
  const isOlder = may && choices.length > 0 && known === undefined;
  const read = useRead('GET /v1/collections/{id}', { path: { id } }, { enabled: isOlder });
  const name = known ?? read.data?.name;
  return <Link href={`/collections/${id}`}>{name ?? id}</Link>;
}

interface PolicyOfProps {
  of: { policyId: string; policySource: 'content' | 'collection' | 'default'; collectionId: string | null };
}

/** The policy that is in force for an item, and why. */
export function PolicyOf({ of: { policyId, policySource, collectionId } }: PolicyOfProps) {
  return (
    <>
      <PolicyLink id={policyId} />
      <span className="under">
        {policySource === 'content' && 'given to this item'}
        {policySource === 'default' && 'the default policy'}
        {policySource === 'collection' && collectionId !== null && (
          <>
            from the collection <CollectionLink id={collectionId} />
          </>
        )}
      </span>
    </>
  );
}
