/**
 * Two nodes on one PostgreSQL, with their columns in one ClickHouse behind a relay. The clock of the database can be
 * set forward, and the time of decisions with it.
 */
import { TestClickHouse } from '../../kit/clickhouse.ts';
import { query, startPostgres, type TestPostgres } from '../../kit/postgres.ts';
import { type Relay, startRelay } from '../../kit/relay.ts';
import { until } from '../../kit/until.ts';
import { type ClusterNode, type Nodes, startNodes } from '../cluster/nodes.ts';

const SMALL = new URL('small-hack.ts', import.meta.url).href;
const LOCK = 7_239_641_301;

/** Found before the function of the system, since the search path of the database names this schema first. */
const CLOCK = `create table public.test_clock (ahead bigint not null);
  insert into public.test_clock values (0);
  create function public.clock_timestamp() returns timestamptz language sql volatile as $$
    select pg_catalog.clock_timestamp() + (select ahead from public.test_clock) * interval '1 millisecond' $$`;

export interface Scene extends AsyncDisposable {
  nodes: Nodes;
  clickHouse: TestClickHouse;
  /** Between the nodes and ClickHouse. */
  relay: Relay;
  postgres: TestPostgres;
  /** The database of ClickHouse. */
  database: string;
  /** Reads the records, beside the nodes. */
  records<R extends object>(sql: string): Promise<R[]>;
  /** Sets the clock of the database forward. */
  advance(ms: number): Promise<void>;
  /** Returns the node that is writing the columns; undefined: none is. */
  findWriter(): Promise<ClusterNode | undefined>;
}

export async function openScene(env: Record<string, string>): Promise<Scene> {
  await using stack = new AsyncDisposableStack();
  const clickHouse = stack.use(await new TestClickHouse().start());
  const columns = new URL(await clickHouse.newDatabase());
  const relay = stack.use(await startRelay(Number(columns.port)));
  columns.port = String(relay.port);
  const postgres = await startPostgres();
  const { url } = stack.use(await postgres.newDatabase());
  await query(url, CLOCK);
  await query(url, `alter database ${new URL(url).pathname.slice(1)} set search_path = public, pg_catalog`);
  const nodes = stack.use(
    await startNodes(url, {
      clocks: [0, 0],
      urlOf: (index) => `${url}?application_name=node${index}`,
      env: { POSTERN_COLUMNS: columns.href, ...env },
      nodeOptions: ['--import', SMALL],
      housekeepingMayFail: true,
    }),
  );
  const records = <R extends object>(sql: string): Promise<R[]> => query<R>(url, sql);
  const kept = stack.move();
  return {
    nodes,
    clickHouse,
    relay,
    postgres,
    database: columns.pathname.slice(1),
    records,
    async advance(ms) {
      await records(`update public.test_clock set ahead = ahead + ${ms}`);
    },
    async findWriter() {
      const sql = `select application_name as name from pg_stat_activity join pg_locks using (pid)
        where locktype = 'advisory' and granted and (classid::bigint << 32) + objid::bigint = ${LOCK}`;
      const [row] = await records<{ name: string }>(sql);
      return nodes.nodes.find(({ index }) => row?.name === `node${index}`);
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

const REFUSED_WITHIN_MS = 180_000;

/** Asks a node until it does not refuse. */
export async function answerOf({ running }: ClusterNode, path: string, headers: Record<string, string> = {}) {
  const { status, text, body } = await until(
    path,
    () => running.ask('GET', path, { headers }),
    REFUSED_WITHIN_MS,
    (answer) => answer.status !== 503,
  );
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
  return { text, body };
}
