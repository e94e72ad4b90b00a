/** Saves the receipt of a decision or of a final statement, where the installation keeps a log. */
import { Button } from '@mantine/core';
import type { Args } from '../api/client.ts';
import { useRead } from '../api/read.ts';
import { useMay } from '../shell/session.tsx';
import { IconCertificate } from './icons.ts';
import { useSaving } from './save.ts';

type Proof = 'GET /v1/access/decisions/{id}/proof' | 'GET /v1/statements/{id}/proof';

export function ReceiptButton({ of, id }: { of: Proof; id: string }) {
  const may = useMay('analytics:read');
  // Without a log, there are no keys.
  const { data } = useRead('GET /v1/log-keys', {}, { enabled: may });
  const { saving, save } = useSaving();
  if (data === undefined || data.keys.length === 0) return null;
  const args: Args<Proof> = { path: { id } };
  return (
    <Button
      variant="default"
      leftSection={<IconCertificate size={16} />}
      loading={saving}
      onClick={() => save(`${id}.tlog-proof`, of, args, 'text/plain')}
    >
      Download receipt
    </Button>
  );
}
