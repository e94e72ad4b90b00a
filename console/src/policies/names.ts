/** Names of policies, for choices and in place of ids. */
import { useRead } from '../api/read.ts';
import { useMay } from '../shell/session.tsx';

export interface PolicyChoice {
  value: string;
  label: string;
}

/** Returns the newest hundred; none if the key may not read policies. */
export function usePolicyChoices(): PolicyChoice[] {
  const may = useMay('policies:read');
  const policies = useRead('GET /v1/policies', { query: { limit: 100 } }, { enabled: may });
  return (policies.data?.data ?? []).map(({ id, name, isDefault }) => ({
    value: id,
    label: isDefault ? `${name} (default)` : name,
  }));
}
