/**
 * Measures the path to PostgreSQL: round trips and time of an edit of five statements, through each driver as intended
 * and through our pipeline on `pg`. A relay counts the trips and adds half a millisecond each way, like a network
 * between two machines. The database's disk is left out (`fsync` off).
 */
import { createServer, connect as dial, type Socket } from 'node:net';
import { Client } from 'pg';
import { testPostgres } from '../kit/postgres.ts';
import type { Step } from '../src/db/db.ts';
import { pipeline } from '../src/db/postgres/pipeline.ts';
import { type Figure, median, medianRatio, type Part } from './figure.ts';

const ROUNDS = 7;
const DELAY_MS = 0.5;

/** Waits less than a timer can. */
const later = (work: () => void): void => {
  const until = performance.now() + DELAY_MS;
  const look = (): void => void (performance.now() < until ? setImmediate(look) : work());
  look();
};

/** A change of direction towards the server is a trip. */
async function startRelay(port: number) {
  let trips = 0;
  const sockets: Socket[] = [];
  const server = createServer((near) => {
    const far = dial(port, '127.0.0.1').setNoDelay(true);
    near.setNoDelay(true);
    sockets.push(near, far);
    near.on('end', () => later(() => far.end()));
    far.on('end', () => near.end());
    for (const socket of [near, far]) socket.on('error', () => {});
    let answering = true;
    near.on('data', (bytes) => {
      if (answering) trips++;
      answering = false;
      later(() => far.write(bytes));
    });
    far.on('data', (bytes) => {
      answering = true;
      later(() => near.write(bytes));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    port: (server.address() as { port: number }).port,
    trips: () => trips,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

interface Driver {
  name: string;
  /** Runs a transaction. */
  run(steps: readonly Step[]): Promise<void>;
  close(): Promise<void>;
}

const namesOf = new Map<string, string>();
const nameOf = (sql: string): string => {
  const name = namesOf.get(sql) ?? `n${namesOf.size}`;
  namesOf.set(sql, name);
  return name;
};

async function pgDriver(connectionString: string, together: boolean): Promise<Driver> {
  const client = new Client({ connectionString, pipeline: together });
  await client.connect();
  const query = ({ sql, params = [] }: Step) => client.query({ name: nameOf(sql), text: sql, values: [...params] });
  return {
    name: together ? 'pg, `pipeline: true`' : 'pg, one query after the other',
    async run(steps) {
      const all = [{ sql: 'begin' }, ...steps, { sql: 'commit' }];
      if (together) await Promise.all(all.map(query));
      else for (const step of all) await query(step);
    },
    close: () => client.end(),
  };
}

/** Not one of our dependencies: installed for this measurement only. */
interface PostgresJs {
  (url: string, options: object): PostgresJs & { reserve(): Promise<PostgresJs>; end(options: object): Promise<void> };
  unsafe(sql: string, params: readonly unknown[], options: object): Promise<unknown>;
}

async function postgresJsDriver(url: string): Promise<Driver | undefined> {
  const name = 'postgres';
  const module = (await import(name).catch(() => undefined)) as { default: PostgresJs } | undefined;
  if (module === undefined) return undefined;
  const sql = module.default(url, { max: 1 });
  const one = await sql.reserve();
  return {
    name: 'postgres.js, pipelined',
    async run(steps) {
      const all = [{ sql: 'begin' }, ...steps, { sql: 'commit' }] as Step[];
      await Promise.all(all.map((step) => one.unsafe(step.sql, step.params ?? [], { prepare: true })));
    },
    // It would wait for the connection that is reserved.
    close: () => sql.end({ timeout: 0 }),
  };
}

async function ownDriver(connectionString: string): Promise<Driver> {
  const client = new Client({ connectionString });
  await client.connect();
  return {
    name: 'our pipeline on pg',
    async run(steps) {
      await pipeline(client, steps);
    },
    close: () => client.end(),
  };
}

const EDIT: readonly Step[] = [
  { sql: 'select pg_advisory_xact_lock(1)' },
  { sql: 'update t set note = $2, n = n + 1 where id = $1', params: ['a', 'note'] },
  { sql: 'insert into log (at, note) values ($1, $2)', params: [1, 'change'] },
  { sql: 'insert into log (at, note) values ($1, $2)', params: [2, 'event'] },
  { sql: 'insert into log (at, note) values ($1, $2)', params: [3, 'receipt'] },
];

export const postgresPart: Part = {
  name: 'postgres',
  about: 'Round trips and time of a transaction on PostgreSQL, by driver',
  async run({ quick, say }) {
    const server = await testPostgres();
    await using database = await server.newDatabase();
    const relay = await startRelay(server.port);
    const url = database.url.replace(String(server.port), String(relay.port));
    const setUp = new Client({ connectionString: database.url });
    await setUp.connect();
    await setUp.query(`create table t (id text primary key, note text, n bigint not null); insert into t values ('a', '', 0);
      create table log (seq bigint generated by default as identity primary key, at bigint, note text)`);
    await setUp.end();
    const own = await ownDriver(url);
    const others = [await pgDriver(url, false), await pgDriver(url, true), await postgresJsDriver(url)].filter(
      (driver) => driver !== undefined,
    );
    const runs = quick ? 30 : 100;
    const times = new Map<Driver, number[]>();
    const trips = new Map<Driver, number>();
    for (let round = 0; round <= ROUNDS; round++) {
      for (const driver of [own, ...others]) {
        const before = relay.trips();
        const begun = performance.now();
        for (let i = 0; i < runs; i++) await driver.run(EDIT);
        // The first round prepares the statements.
        if (round === 0) continue;
        times.set(driver, [...(times.get(driver) ?? []), (performance.now() - begun) / runs]);
        trips.set(driver, (relay.trips() - before) / runs);
      }
      say(`round ${round} of ${ROUNDS}`);
    }
    const ours = times.get(own) as number[];
    const figures: Figure[] = [
      { what: `Trips of an edit, ${own.name}`, value: trips.get(own) as number, unit: 'trips' },
      ...others.flatMap((driver): Figure[] => {
        const all = times.get(driver) as number[];
        return [
          { what: `Trips of an edit, ${driver.name}`, value: trips.get(driver) as number, unit: 'trips' },
          {
            what: `Time of an edit, ${driver.name}`,
            value: median(all),
            unit: 'ms',
            against: { what: own.name, value: median(ours), ratio: medianRatio(all, ours) },
          },
        ];
      }),
    ];
    for (const driver of [own, ...others]) await driver.close();
    relay.close();
    return {
      figures,
      notes: [
        `An edit is five statements. The relay adds ${DELAY_MS} ms each way; the database does not wait for its disk.`,
      ],
    };
  },
};
