/** Real nodes on one real database for the proofs of a cluster: killed, stopped for a while, started again. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launch, newTestKey, type Running, temporaryFolder } from '../../kit/launch.ts';
import { startPostgres, type TestPostgres } from '../../kit/postgres.ts';

export const CLOCK_HACK = new URL('../crash/clock-hack.ts', import.meta.url).href;
/** The time that a jumping clock stays. */
const JUMP_MS = 700;

export interface ClusterNode {
  index: number;
  running: Running;
  /** Stopped by SIGSTOP. */
  stopped: boolean;
}

/** Nodes of one database. */
export interface Nodes extends AsyncDisposable {
  key: string;
  nodes: ClusterNode[];
  /** The nodes that answer, as far as is known here. */
  alive(): ClusterNode[];
  /** kill -9; what `start` starts again on the same folder. */
  kill(node: ClusterNode): Promise<void>;
  /** `main`: the entry of another version. */
  start(node: ClusterNode, main?: string): Promise<void>;
}

export interface TestCluster extends Nodes {
  server: TestPostgres;
  databaseUrl: string;
}

export interface ClusterOptions {
  /** For each node by how much its clock is off, ms; or it jumps to and fro. */
  clocks: readonly (number | 'jumping')[];
  /** A node's own way to the database. */
  urlOf?: (index: number) => string;
  env?: Record<string, string>;
  /** Given to Node before the entry. */
  nodeOptions?: readonly string[];
  /** The proof makes background work fail. */
  housekeepingMayFail?: boolean;
}

/** On a PostgreSQL of their own. */
export async function startTestCluster(options: ClusterOptions): Promise<TestCluster> {
  const stack = new AsyncDisposableStack();
  const server = await startPostgres();
  const database = stack.use(await server.newDatabase());
  const nodes = stack.use(await startNodes(database.url, options));
  return { ...nodes, server, databaseUrl: database.url, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

export async function startNodes(
  databaseUrl: string,
  { clocks, urlOf = () => databaseUrl, env = {}, nodeOptions = [], housekeepingMayFail = false }: ClusterOptions,
): Promise<Nodes> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder());
  const key = newTestKey();
  const launchNode = (index: number, main?: string): Running => {
    const dataDir = join(folder.path, String(index));
    mkdirSync(dataDir, { recursive: true });
    const off = clocks[index] ?? 0;
    const clock: Record<string, string> =
      off === 'jumping' ? { CLOCK_JUMP_MS: String(JUMP_MS) } : { CLOCK_OFF_MS: String(off) };
    return launch({
      dataDir,
      key,
      main,
      housekeepingMayFail,
      nodeOptions: [...nodeOptions, ...(off === 0 ? [] : ['--import', CLOCK_HACK])],
      env: { ...env, POSTERN_DATABASE_URL: urlOf(index), ...clock },
    });
  };
  const nodes = clocks.map((_, index): ClusterNode => ({ index, running: launchNode(index), stopped: false }));
  opened.defer(async () => {
    await Promise.all(nodes.map(({ running }) => running.end('SIGKILL')));
  });
  await Promise.all(nodes.map(({ running }) => running.ready));
  const stack = opened.move();
  const dead = new Set<ClusterNode>();
  return {
    key,
    nodes,
    alive: () => nodes.filter((node) => !dead.has(node) && !node.stopped),
    async kill(node) {
      dead.add(node);
      await node.running.end('SIGKILL');
    },
    async start(node, main) {
      node.running = launchNode(node.index, main);
      await node.running.ready;
      dead.delete(node);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
