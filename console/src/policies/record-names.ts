/** Reads the names of records that rules name by their ids. */
import { useReads } from '../api/read.ts';
import { useMay } from '../shell/session.tsx';

const READS = {
  collection: 'GET /v1/collections/{id}',
  requester: 'GET /v1/requesters/{id}',
  content: 'GET /v1/content/{id}',
} as const;
export type ReadableRecord = keyof typeof READS;

/** Names are read for so many values; more are shown by their ids. */
const NAMED_MAX = 20;

/** Returns names by id; ids without a record are absent. */
export function useRecordNames(source: ReadableRecord, ids: readonly string[]): Map<string, string> {
  const may = useMay(source === 'requester' ? 'requesters:read' : 'content:read');
  const shown = may ? ids.slice(0, NAMED_MAX) : [];
  const records = useReads(
    READS[source],
    shown.map((id) => ({ path: { id } })),
  );
  return new Map(
    shown.flatMap((id, i): [string, string][] => {
      const record = records[i];
      if (record === undefined) return [];
      return [[id, 'title' in record ? record.title : record.name]];
    }),
  );
}
