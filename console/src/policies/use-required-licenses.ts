/** Reads the license types and features that the rules of all policies require. */
import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { useMay } from '../shell/session.tsx';
import { collectRequiredLicenses, type RequiredLicenses } from './required-licenses.ts';
import type { Policy } from './rules.ts';

const PAGE = 100;
/** With more policies than this, unused types are not reported. */
const POLICIES_MAX = 2_000;

/** Returns undefined while loading, and where unavailable. */
export function useRequiredLicenses(): RequiredLicenses | undefined {
  const may = useMay('policies:read');
  return useQuery({
    queryKey: ['GET /v1/policies', { query: { limit: PAGE } }, 'required licenses'],
    queryFn: ({ signal }) => readRequiredLicenses(signal),
    enabled: may,
    staleTime: 30_000,
  }).data?.required;
}

async function readRequiredLicenses(signal: AbortSignal): Promise<{ required: RequiredLicenses | undefined }> {
  const policies: Policy[] = [];
  let cursor: string | null = null;
  do {
    const query: { limit: number; cursor?: string } = { limit: PAGE, ...(cursor === null ? {} : { cursor }) };
    const page: { data: Policy[]; nextCursor: string | null } = await call('GET /v1/policies', { query, signal });
    policies.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== null && policies.length < POLICIES_MAX);
  return { required: cursor === null ? collectRequiredLicenses(policies) : undefined };
}
