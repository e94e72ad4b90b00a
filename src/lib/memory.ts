/**
 * Divides the memory of the process among its parts: every bound of a cache or a heap comes from here. Pure. The sum of
 * the parts is the setting, so a part that needs less leaves room, and none can take another's.
 */

/** The heap of a thread. V8 collects the old generation more often as it comes near its limit. */
export interface Heap {
  oldMiB: number;
  /** Three times a semispace. */
  youngMiB: number;
}

/** The two threads of the embedded store; each has a heap and a page cache. */
export interface StorageMemory {
  heap: Heap;
  pagesKiB: number;
}

export interface ColumnsMemory {
  heap: Heap;
  /** DuckDB's buffers for tables and queries. */
  engineMiB: number;
  /** A DuckDB of its own reads archived decisions during a rebuild. */
  archiveMiB: number;
  pagesKiB: number;
}

export interface ImpactMemory {
  heap: Heap;
  pagesKiB: number;
  /** Records that a preview remembers. */
  items: number;
  requesters: number;
}

/** The records that checks need, in memory. */
export interface SnapshotMemory {
  itemBytes: number;
  requesterBytes: number;
  policyBytes: number;
}

export interface Budget {
  main: Heap;
  storage: StorageMemory;
  columns: ColumnsMemory;
  impact: ImpactMemory;
  snapshot: SnapshotMemory;
}

const MIB = 1024 * 1024;
/** The least setting: below it, reports and previews fail. */
export const LEAST_MIB = 384;
/** For what opens the records besides the service, such as commands. */
export const USUAL_MIB = 512;
const MOST_BY_DEFAULT_MIB = 2048;

/** Memory that no setting changes: pages of Node.js and DuckDB in use, stacks, code, and threads at rest. */
export const PROGRAM_MIB = 200;
/** The main thread without a record in memory: its modules, and requests with their garbage. */
export const SERVER_MIB = 48;
/** The young generation of a thread besides the main one. */
const THREAD_YOUNG_MIB = 4;
/** Room for requests in flight beyond the usual ones, such as bulk edits, before the process ends for want of it. */
const RESERVE_MIB = 128;

/**
 * By how many percent the old generation of a heap grows before it is collected. V8's own measure, up to twice of what
 * there is, keeps more resident.
 */
export const GROWTH_PERCENT = 30;

/** The usual setting: half of the memory that the machine has, or its container. */
export const usualMiB = (machineMiB: number): number => clamp(machineMiB / 2, LEAST_MIB, MOST_BY_DEFAULT_MIB);

export function planBudget(totalMiB: number): Budget {
  const free = totalMiB - PROGRAM_MIB - SERVER_MIB;
  const share = (part: number, least: number, most: number): number => clamp(free * part, least, most);
  // Large batches in flight fit into it.
  const youngMiB = share(0.06, 6, 48);
  const thread = { youngMiB: THREAD_YOUNG_MIB, oldMiB: clamp(totalMiB / 2, 128, 256) };
  const engineMiB = share(0.2, 24, 256);
  const pagesMiB = share(0.02, 1, 8);
  const impactMiB = share(0.2, 20, 768);
  const shared = youngMiB + 4 * THREAD_YOUNG_MIB + engineMiB + 3 * pagesMiB + impactMiB;
  const snapshotMiB = free - shared;
  return {
    main: { youngMiB, oldMiB: SERVER_MIB + snapshotMiB + Math.max(RESERVE_MIB, Math.floor(totalMiB / 4)) },
    storage: { heap: { ...thread, oldMiB: totalMiB }, pagesKiB: pagesMiB * 1024 },
    columns: {
      heap: thread,
      engineMiB,
      archiveMiB: clamp(engineMiB / 2, 24, 128),
      pagesKiB: pagesMiB * 512,
    },
    impact: {
      heap: { youngMiB: THREAD_YOUNG_MIB, oldMiB: impactMiB },
      pagesKiB: pagesMiB * 512,
      items: impactMiB * ITEMS_A_MIB,
      requesters: (impactMiB * ITEMS_A_MIB) / 2,
    },
    snapshot: {
      itemBytes: Math.floor(snapshotMiB * 0.75 * MIB),
      requesterBytes: Math.floor(snapshotMiB * 0.15 * MIB),
      policyBytes: Math.floor(snapshotMiB * 0.1 * MIB),
    },
  };
}

/** Items that a preview remembers in a MiB of its heap. */
const ITEMS_A_MIB = 130;

const clamp = (value: number, least: number, most: number): number =>
  Math.floor(Math.min(Math.max(value, least), most));

/** The limits of a thread, as `new Worker` takes them. */
export const toResourceLimits = ({
  oldMiB,
  youngMiB,
}: Heap): { maxOldGenerationSizeMb: number; maxYoungGenerationSizeMb: number } => ({
  maxOldGenerationSizeMb: oldMiB,
  maxYoungGenerationSizeMb: youngMiB,
});

/** The limits of the main thread, as Node.js takes them when it starts. */
export const toNodeFlags = ({ oldMiB, youngMiB }: Heap): string[] => [
  `--max-old-space-size=${oldMiB}`,
  `--max-semi-space-size=${Math.floor(youngMiB / 3)}`,
];
