/** The collections of a policy file as an index that finds the most specific one. All have the policy of the file. */
import { FIRST_VALUES } from '../../content/collections/collection.ts';
import { CollectionIndex } from '../../content/collections/collection-index.ts';
import type { PolicyFile } from './policy-file.ts';

export function indexOf(collections: NonNullable<PolicyFile['collections']>, policyId: string): CollectionIndex {
  const index = new CollectionIndex();
  for (const [i, { id, ...fields }] of collections.entries()) {
    index.put({
      ...FIRST_VALUES,
      ...fields,
      no: 0,
      // Those that the file creates are younger than the others, and created in its order.
      id: id ?? `col_of_file_${String(i).padStart(5, '0')}`,
      createdAt: id === undefined ? 1 : 0,
      updatedAt: 0,
      version: 1,
      policyId,
    });
  }
  return index;
}
