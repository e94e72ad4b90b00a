/** Policies by their names: for choices, and instead of ids. */
import { useRead } from '../api/read.ts';
import { useMay } from '../shell/session.tsx';

export interface PolicyChoice {
  value: string;
  label: string;
}

/** The newest hundred; empty when the key may not read policies. */
export function usePolicyChoices(): PolicyChoice[] {
  const may = useMay('policies:read');
  const policies = useRead('GET /v1/policies', { query: { limit: 100 } }, { enabled: may });
  return (policies.data?.data ?? []).map(({ id, name, isDefault }) => ({
    value: id,
    label: isDefault ? `${name} (default)` : name,
  }));
}
