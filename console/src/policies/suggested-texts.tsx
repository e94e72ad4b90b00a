/** The field of a condition whose values are texts, with those that are in use as suggestions. */
import { TagsInput } from '@mantine/core';
import type { Row } from '../api/client.ts';
import { useRead } from '../api/read.ts';
import type { License, Requester } from '../requesters/types.ts';
import { type Permission, useMay } from '../shell/session.tsx';
import type { ConditionRow, SuggestionSource } from './condition-table.ts';
import { useRequiredLicenses } from './use-required-licenses.ts';

type Collection = Row<'GET /v1/collections'>;

interface SuggestedTextsProps {
  row: ConditionRow;
  value: string[];
  onChange: (value: string[]) => void;
}

export function SuggestedTexts(props: SuggestedTextsProps) {
  const { suggests } = props.row;
  return suggests === undefined ? <Texts {...props} suggestions={[]} /> : <InUse {...props} source={suggests} />;
}

function InUse({ source, ...props }: SuggestedTextsProps & { source: SuggestionSource }) {
  return <Texts {...props} suggestions={useInUse(source)} />;
}

function Texts({ row, value, onChange, suggestions }: SuggestedTextsProps & { suggestions: string[] }) {
  return (
    <TagsInput
      aria-label={row.label}
      placeholder={value.length === 0 ? `${row.about}; Enter adds one` : ''}
      data={[...new Set([...(row.values ?? []), ...suggestions])]}
      value={value}
      onChange={onChange}
      maxDropdownHeight={260}
      acceptValueOnBlur
    />
  );
}

interface Use {
  of: 'GET /v1/collections' | 'GET /v1/requesters' | 'GET /v1/licenses';
  permission: Permission;
  pick: (record: never) => readonly (string | null)[];
}

const USES: Record<SuggestionSource, Use> = {
  hosts: { of: 'GET /v1/collections', permission: 'content:read', pick: ({ hosts }: Collection) => hosts },
  paths: { of: 'GET /v1/collections', permission: 'content:read', pick: ({ paths }: Collection) => paths },
  requesterTypes: { of: 'GET /v1/requesters', permission: 'requesters:read', pick: ({ type }: Requester) => [type] },
  requesterTags: { of: 'GET /v1/requesters', permission: 'requesters:read', pick: ({ tags }: Requester) => tags },
  licenseTypes: { of: 'GET /v1/licenses', permission: 'requesters:read', pick: ({ type }: License) => [type] },
  licenseFeatures: { of: 'GET /v1/licenses', permission: 'requesters:read', pick: ({ features }: License) => features },
};

/** Returns values of the newest hundred records, and the licenses that other rules require. */
function useInUse(source: SuggestionSource): string[] {
  const { of, permission, pick } = USES[source];
  const records = useRead(of, { query: { limit: 100 } }, { enabled: useMay(permission) });
  const { kinds = [], features = [] } = useRequiredLicenses() ?? {};
  const required = { licenseTypes: kinds, licenseFeatures: features }[source as string] ?? [];
  const found = (records.data?.data ?? []).flatMap((record) => pick(record as never));
  const texts = [...required, ...found].filter((text) => text !== null);
  return [...new Set(texts)].toSorted((a, b) => a.localeCompare(b));
}
