/** The table `proxy_probes`; rows never leave this file. */
import type { Db, Step } from '../../db/db.ts';
import { columns } from '../../db/record.ts';
import type { Arrival } from './probe-schema.ts';

export interface Probe {
  id: string;
  mark: string;
  createdAt: number;
  expiresAt: number;
  arrived: Arrival | null;
}

const PROBE = columns<Probe>({
  id: 'fixed',
  mark: 'fixed',
  createdAt: 'fixed',
  expiresAt: 'fixed',
  arrived: 'json',
});

/** Older ones are deleted. */
const PROBES_MAX = 20;

export const insertProbe = ({ id, mark, createdAt, expiresAt }: Probe): Step[] => [
  {
    sql: `delete from proxy_probes where expires_at <= $1
            or no not in (select no from proxy_probes order by no desc limit ${PROBES_MAX - 1})`,
    params: [createdAt],
  },
  {
    sql: 'insert into proxy_probes (id, mark, created_at, expires_at) values ($1, $2, $3, $4)',
    params: [id, mark, createdAt, expiresAt],
  },
];

/** Returns the probes that have not expired. */
export async function findProbes(db: Db, now: number): Promise<Probe[]> {
  const rows = await db.read(
    `select ${PROBE.list} from proxy_probes where expires_at > $1
     order by no desc limit ${PROBES_MAX}`,
    [now],
  );
  return rows.map(PROBE.toRecord);
}

/** The first request counts. */
export const putArrival = (id: string, arrived: Arrival): Step => ({
  sql: 'update proxy_probes set arrived = $2 where id = $1 and arrived is null',
  params: [id, JSON.stringify(arrived)],
});
