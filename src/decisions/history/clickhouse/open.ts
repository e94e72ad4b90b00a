/** The columns in ClickHouse, opened: what the columns' thread serves questions from. */
import { openPostgresReader } from '../../../db/postgres/reader.ts';
import type { ColumnsEngine } from '../columns/engine.ts';
import { type DecisionSource, SourceFailed } from '../columns/source.ts';
import { measureBytes } from './cluster.ts';
import { openNames } from './names.ts';
import { clickHouseReader } from './reader.ts';
import { openState } from './state.ts';
import { openClickHouse } from './store.ts';
import { ClickHouseWriter } from './writer.ts';

const SIZE_EVERY_MS = 10_000;

export interface ClickHousePlace {
  /** The address of ClickHouse. */
  url: string;
  /** URL of PostgreSQL. */
  records: string;
  source: DecisionSource;
  pause(ms: number): Promise<void>;
  /** Aborted: requests fail at once. */
  signal: AbortSignal;
  /** All is counted again. */
  onRebuild(): void;
}

export async function openClickHouseColumns({
  url,
  records,
  source,
  pause,
  signal,
  onRebuild,
}: ClickHousePlace): Promise<ColumnsEngine> {
  const stack = new AsyncDisposableStack();
  try {
    const failed = (cause: unknown): never => {
      throw new SourceFailed('the records cannot be read', { cause });
    };
    const reader = await openPostgresReader(records).catch(failed);
    stack.defer(() => reader.close());
    const store = await openClickHouse(url, { signal });
    stack.defer(() => store.close());
    const names = openNames(reader);
    const states = openState(reader);
    const writer = new ClickHouseWriter({ store, names, states, source, pause, onRebuild });
    let [bytes, measuredAt] = [0, Number.NEGATIVE_INFINITY];

    async function measure(): Promise<void> {
      if (bytes > 0 && performance.now() - measuredAt < SIZE_EVERY_MS) return;
      measuredAt = performance.now();
      bytes = await measureBytes(store);
    }

    return {
      tail: {
        async step() {
          const result = await writer.step();
          await measure();
          return result;
        },
        isRewritten: () => writer.isRewritten(),
        gathered: () => writer.gathered(),
      },
      connect: async () => clickHouseReader({ store, names, shown: () => writer.shown, now: () => states.read() }),
      rest: async () => {},
      // The signal does.
      interrupt: () => {},
      size: () => bytes,
      close: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}
