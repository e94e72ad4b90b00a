/** The status of the service for people: the figures of `/metrics` in one answer of the API. */
import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import type { App } from '../../api/http/app.ts';
import { route } from '../../api/http/route.ts';
import type { Deliverer } from '../../api/webhooks/deliverer.ts';
import type { Db } from '../../db/db.ts';
import { placeName } from '../../decisions/history/clickhouse/settings.ts';
import type { Columns } from '../../decisions/history/columns/columns.ts';
import { readMovedFigures } from '../../decisions/history/moved/upkeep.ts';
import type { Ledger } from '../../decisions/ledger/ledger.ts';
import { type PrivacyConfig, USER_AGENT_PRECISIONS } from '../../decisions/precision.ts';
import { toIso } from '../../lib/clock.ts';
import { formatIpPrecision } from '../../lib/ip-precision.ts';
import { orNull, textOrNull } from '../../lib/nullable.ts';
import { VERSION } from '../../lib/version.ts';
import type { RenewedDirectory } from '../../requesters/crawlers/renewal.ts';
import { DirectoryStatus, directoryStatus } from '../../requesters/crawlers/schema.ts';
import { openVisitorStatus, VisitorStatus, type VisitorStatusDeps } from './visitor-status.ts';
import { readWitnessStatus, WitnessesStatus, WitnessStatus, type WitnessStatusDeps } from './witness-status.ts';

const bytes = (description: string) => Type.Integer({ minimum: 0, description: `${description}, in bytes` });
const count = (description: string) => Type.Integer({ minimum: 0, description });

const daysOrNull = (description: string) => orNull(Type.Integer({ minimum: 1 }), `${description}; null: never`);

const StatusAnswer = Type.Object(
  {
    object: Type.Literal('status'),
    version: Type.String(),
    started: Type.String({ description: 'When this process began to answer' }),
    storage: Type.Object({
      recordsBytes: bytes('Size of the records'),
      columnsBytes: bytes('Size of the columns'),
      diskBytes: bytes('Size of the disk of the data folder'),
      diskFreeBytes: bytes('What of it is free'),
    }),
    ledger: Type.Object({
      decisions: count('Decisions recorded by this process'),
      waiting: count('Checks waiting to be recorded'),
      commits: count('Group commits of this process'),
      moved: count('Decisions that moved to ClickHouse, of all nodes'),
      lost: count('Those of them that ClickHouse did not have, or had otherwise, at the last look'),
    }),
    columns: Type.Object({
      place: textOrNull('Host and database of ClickHouse, which all nodes share; null: a file in the data folder'),
      problem: textOrNull('Why reports cannot be answered now; null: they can'),
      behind: count('Decisions not yet in the columns'),
      rebuilds: count('Times the columns were counted again'),
      restarts: count('Times their thread was started again'),
    }),
    webhooks: Type.Object({
      succeeded: count('Attempts answered with success'),
      failed: count('Attempts that failed'),
      inFlight: count('Attempts in flight'),
    }),
    privacy: Type.Object(
      {
        ipPrecision: Type.String({ description: '`full`, `none`, or the prefixes that are kept, such as `/24,/48`' }),
        userAgent: Type.Enum([...USER_AGENT_PRECISIONS], { description: 'What is kept of user agents' }),
        inputDays: daysOrNull('Days after which the inputs of decisions are erased'),
        decisionDays: daysOrNull('Days after which decisions leave the log'),
        retiring: Type.Boolean({ description: 'Decisions are leaving the log now' }),
        erasures: Type.Object({
          running: count('Erasures of requesters that are not done'),
          walked: count('Decisions that the oldest of them has read, of `of`'),
          of: count('Decisions when it began'),
        }),
      },
      { description: 'What this node keeps of visitors, and for how long' },
    ),
    directory: DirectoryStatus,
    visitors: VisitorStatus,
    witnesses: WitnessesStatus,
    witness: WitnessStatus,
    memoryBytes: bytes('Memory of the process'),
  },
  { title: 'Status', description: 'The state of this node' },
);
type Status = Static<typeof StatusAnswer>;

export interface StatusDeps extends Omit<VisitorStatusDeps, 'columns' | 'now'>, WitnessStatusDeps {
  dataDir: string;
  /** The URL of ClickHouse; null: the columns are in a file. */
  clickHouse: string | null;
  /** Epoch ms. */
  startedAt: number;
  ledger: Ledger;
  columns: Columns;
  deliverer: Deliverer;
  privacy: PrivacyConfig;
  directory: Pick<RenewedDirectory, 'state'>;
  /** Returns what of the work is left. */
  privacyProgress(): Promise<Pick<Status['privacy'], 'retiring' | 'erasures'>>;
}

export function statusRoutes(app: App, deps: StatusDeps): void {
  const readVisitors = openVisitorStatus({ ...deps, now: () => deps.ledger.now() });
  route(
    app,
    'GET /v1/status',
    {
      permission: 'api_keys:manage',
      tag: 'Operations',
      id: 'getStatus',
      is: 'Read how the service is doing',
      answer: StatusAnswer,
    },
    async () => getStatus(deps, await readVisitors()),
  );
}

async function getStatus(deps: StatusDeps, visitors: Status['visitors']): Promise<Status> {
  const { dataDir, startedAt, db, ledger, columns, deliverer } = deps;
  const disk = await statfs(dataDir);
  const recorded = ledger.figures();
  const copied = columns.figures();
  const sent = deliverer.figures();
  const moved = await readMovedFigures(db);
  return {
    object: 'status',
    version: VERSION,
    started: toIso(startedAt),
    storage: {
      recordsBytes: await recordsBytes(db, dataDir),
      columnsBytes: copied.sizeBytes,
      diskBytes: disk.blocks * disk.bsize,
      diskFreeBytes: disk.bavail * disk.bsize,
    },
    ledger: { decisions: recorded.entries, waiting: recorded.waiting, commits: recorded.flushes, ...moved },
    columns: {
      place: deps.clickHouse === null ? null : placeName(deps.clickHouse),
      problem: copied.problem,
      behind: copied.behind,
      rebuilds: copied.rebuilds,
      restarts: copied.restarts,
    },
    webhooks: { succeeded: sent.succeeded, failed: sent.failed, inFlight: sent.inFlight },
    privacy: { ...toPrivacy(deps.privacy), ...(await deps.privacyProgress()) },
    directory: directoryStatus(deps.directory.state()),
    visitors,
    ...(await readWitnessStatus(deps)),
    memoryBytes: process.memoryUsage.rss(),
  };
}

const toPrivacy = ({ ip, userAgent, inputDays, decisionDays }: PrivacyConfig) => ({
  ipPrecision: formatIpPrecision(ip),
  userAgent,
  inputDays,
  decisionDays,
});

async function recordsBytes(db: Db, dataDir: string): Promise<number> {
  if (db.engine === 'postgres') {
    const [row] = await db.read<{ bytes: number }>('select pg_database_size(current_database()) as bytes');
    return Number(row?.bytes ?? 0);
  }
  const files = ['postern.db', 'postern.db-wal'].map((file) => stat(join(dataDir, file)).catch(() => undefined));
  return (await Promise.all(files)).reduce((sum, one) => sum + (one?.size ?? 0), 0);
}
