/** A license by its contract or kind, as a link; its id where it cannot be read. */
import { Link } from 'wouter';
import { useRead } from '../api/read.ts';
import { useMay } from '../shell/session.tsx';

export function LicenseLink({ id }: { id: string }) {
  const may = useMay('requesters:read');
  const license = useRead('GET /v1/licenses/{id}', { path: { id } }, { enabled: may });
  if (!may) return id;
  const { terms, type } = license.data ?? {};
  return <Link href={`/licenses/${id}`}>{terms?.reference ?? type ?? id}</Link>;
}
