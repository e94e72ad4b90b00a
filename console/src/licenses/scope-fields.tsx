/** The fields of a license's scope: everything, or what is in all the lists that are filled in. */
import { MultiSelect, SegmentedControl, TagsInput } from '@mantine/core';
import { CONTENT_TYPES } from '../../../client/src/generated/vocabularies.ts';
import { useCollectionChoices } from '../collections/names.tsx';
import { pluralize } from '../parts/plural.ts';
import { type PolicyChoice, usePolicyChoices } from '../policies/names.ts';
import type { License } from '../requesters/types.ts';

type Lists = Required<NonNullable<License['scope']>>;

export interface ScopeOf {
  covers: 'everything' | 'part';
  /** Empty lists do not restrict. */
  lists: Lists;
  /** A list of collections that was empty from the start covers nothing. */
  nothing: boolean;
}

const NO_LISTS: Lists = { contentIds: [], contentTypes: [], tags: [], policyIds: [], collectionIds: [] };

/** `scope`: undefined where it must be chosen. */
export const toScopeOf = (scope: License['scope'] | undefined): ScopeOf => ({
  covers: scope === null ? 'everything' : 'part',
  lists: { ...NO_LISTS, ...scope },
  nothing: scope?.collectionIds?.length === 0,
});

/** Returns undefined while the part that is covered is not said: it must not become everything. */
export function toScope({ covers, lists, nothing }: ScopeOf): License['scope'] | undefined {
  if (covers === 'everything') return null;
  const { collectionIds } = lists;
  const filled = Object.entries(lists).filter(([, list]) => list.length > 0);
  const scope = { ...Object.fromEntries(filled), ...(nothing && { collectionIds }) };
  return Object.keys(scope).length === 0 ? undefined : scope;
}

interface ScopeFieldsProps {
  value: ScopeOf;
  /** The collections of a request, which a grant keeps unless others are chosen. */
  asked?: readonly string[] | undefined;
  onChange: (scope: ScopeOf) => void;
}

export function ScopeFields({ value, asked, onChange }: ScopeFieldsProps) {
  return (
    <>
      <div>
        <div className="choice-label">Covers</div>
        <SegmentedControl
          aria-label="Covers"
          fullWidth
          data={[
            { value: 'part', label: 'Only a part' },
            { value: 'everything', label: 'Everything' },
          ]}
          value={value.covers}
          onChange={(covers) => onChange({ ...value, covers })}
        />
      </div>
      {value.covers === 'part' && <Parts value={value} asked={asked} onChange={onChange} />}
    </>
  );
}

function Parts({ value, asked, onChange }: ScopeFieldsProps) {
  const { lists, nothing } = value;
  const { contentIds, collectionIds } = lists;
  const policies = usePolicyChoices();
  const collections = withIds(useCollectionChoices(), collectionIds);
  const field = (name: Exclude<keyof Lists, 'contentIds'>, empty = 'any') => ({
    placeholder: lists[name].length === 0 ? empty : '',
    value: lists[name],
    onChange: (list: string[]) => onChange({ ...value, lists: { ...lists, [name]: list } }),
  });
  return (
    <>
      <MultiSelect
        label="Only in collections"
        description="What these collections decide. An item with a policy of its own is not included."
        data={collections}
        searchable
        {...field(
          'collectionIds',
          nothing ? 'none: covers nothing' : asked === undefined ? 'any' : 'the one asked for',
        )}
      />
      <MultiSelect label="Only for types" data={[...CONTENT_TYPES]} {...field('contentTypes')} />
      <TagsInput label="Only for tags" {...field('tags')} />
      <MultiSelect label="Only under policies" data={policies} searchable {...field('policyIds')} />
      {contentIds.length > 0 && <p className="soft">And only for {pluralize(contentIds.length, 'item')}.</p>}
      {toScope(value) === undefined && <p className="soft">Fill in at least one list, or choose “Everything”.</p>}
    </>
  );
}

/** Chosen ones that are older than the choices, or deleted, are shown by their ids. */
const withIds = (choices: readonly PolicyChoice[], ids: readonly string[]): PolicyChoice[] => [
  ...choices,
  ...ids.filter((id) => !choices.some(({ value }) => value === id)).map((id) => ({ value: id, label: id })),
];
