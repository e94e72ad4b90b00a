/**
 * A PostgreSQL and a synchronous standby, which has every acknowledged write and can be promoted. The new primary
 * takes a new standby while it works, any number of times.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { copyAs, launchServer, newFolder, newInstallation, query, type Server, writeAs } from './postgres.ts';
import { until } from './until.ts';

type TestServer = Pick<Server, 'port' | 'urlOf'>;

export interface TestPair {
  /** The one that writes. */
  primary: TestServer;
  /** Has what the primary acknowledged; answers reads. */
  standby: TestServer;
  /** kill -9; its data are gone. */
  killPrimary(): Promise<void>;
  /** Settles when the standby takes writes; it is the primary now, alone. */
  promote(): Promise<void>;
  /** A new standby, made while the primary works. Settles when nothing is acknowledged that it does not have. */
  addStandby(): Promise<void>;
}

const REPLICATION = {
  shared_buffers: '128MB',
  // What a new standby still needs when it has been copied.
  wal_keep_size: '2GB',
  wal_retrieve_retry_interval: '200ms',
};

export async function startPostgresPair(): Promise<TestPair> {
  let primary = await launchServer(await newInstallation({}), REPLICATION);
  await primary.answers();
  let standby: Server | undefined;
  const other = (): Server => {
    if (standby === undefined) throw new Error('there is no standby');
    return standby;
  };
  const pair: TestPair = {
    get primary() {
      return primary;
    },
    get standby() {
      return other();
    },
    async killPrimary() {
      await primary.end('KILL');
      discard(primary.data);
    },
    async promote() {
      await query(other().urlOf('postgres'), 'select pg_promote(true, 60)');
      await until('it takes writes', async () => !(await isStandby(other())), PROMOTED_WITHIN_MS);
      primary = other();
      standby = undefined;
    },
    async addStandby() {
      const data = await copyWhileItWorks(primary);
      standby = await launchServer(data, REPLICATION);
      await standby.answers();
      await query(primary.urlOf('postgres'), `alter system set synchronous_standby_names = 'standby'`);
      await query(primary.urlOf('postgres'), 'select pg_reload_conf()');
      const state = 'select sync_state from pg_stat_replication';
      await until(
        'it keeps up',
        async () => {
          const rows = await query<{ sync_state: string }>(primary.urlOf('postgres'), state);
          return rows[0]?.sync_state === 'sync';
        },
        PROMOTED_WITHIN_MS,
      );
      // Commits wait for the standby once the checkpointer has read the setting too, which it does before it answers.
      await query(primary.urlOf('postgres'), 'checkpoint');
    },
  };
  await pair.addStandby();
  return pair;
}

const PROMOTED_WITHIN_MS = 60_000;

async function isStandby(server: Server): Promise<boolean> {
  const [row] = await query<{ standby: boolean }>(server.urlOf('postgres'), 'select pg_is_in_recovery() as standby');
  return row?.standby !== false;
}

/** The statements around the copy of a running server. */
const COPY = [`select pg_backup_start('standby', true)`, 'select labelfile from pg_backup_stop(false)'] as const;
const COPY_14 = [
  `select pg_start_backup('standby', true, false)`,
  'select labelfile from pg_stop_backup(false, false)',
] as const;

/** Copies like pg_basebackup, which the binaries lack (postgresql.org/docs/current/continuous-archiving.html). */
async function copyWhileItWorks(primary: Server): Promise<string> {
  const data = join(newFolder(), 'data');
  const client = new Client({ connectionString: primary.urlOf('postgres') });
  await client.connect();
  try {
    const { rows: versions } = await client.query<{ version: string }>(
      `select current_setting('server_version_num') as version`,
    );
    const [begin, end] = Number(versions[0]?.version) < 150_000 ? COPY_14 : COPY;
    await client.query(begin);
    await copyAs(primary.data, data, true);
    const { rows } = await client.query<{ labelfile: string }>(end);
    // Its log is what it streams; the label says from where on.
    for (const name of readdirSync(join(data, 'pg_wal'))) {
      rmSync(join(data, 'pg_wal', name), { recursive: true, force: true });
    }
    rmSync(join(data, 'postmaster.pid'), { force: true });
    writeAs(join(data, 'backup_label'), rows[0]?.labelfile ?? '');
    const from = `host=127.0.0.1 port=${primary.port} user=postgres application_name=standby`;
    // The later one of two lines counts.
    writeAs(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${from}'\nsynchronous_standby_names = ''\n`);
    writeAs(join(data, 'standby.signal'), '');
  } finally {
    await client.end();
  }
  return data;
}

/** Removes the data of a killed server, and its segment of shared memory, which only a successor would clear. */
function discard(data: string): void {
  const [, , , , , , memory = ''] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
  const [, id = ''] = memory.trim().split(/\s+/);
  if (/^\d+$/.test(id)) spawnSync('ipcrm', ['-m', id]);
  rmSync(dirname(data), { recursive: true, force: true, maxRetries: 20 });
}
