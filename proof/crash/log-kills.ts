/** The service is killed at random while decisions are sealed and erased, and a witness outside keeps what it shows. */
import { setTimeout as pause } from 'node:timers/promises';
import { launched, newTestKey, type Running, temporaryFolder } from '../../kit/launch.ts';
import { seeded } from '../../kit/random.ts';
import { LOG, OFTEN, startLogLoad } from './log-load.ts';

export interface LogKillOptions {
  kills: number;
  seed: number;
  tell?: (line: string) => void;
}

const LOAD_MAX_MS = 2_500;

export async function runLogKills({ kills, seed, tell = () => {} }: LogKillOptions): Promise<object> {
  const random = seeded(seed);
  using folder = temporaryFolder();
  const key = newTestKey();
  const start = (): Promise<Running> =>
    launched({ dataDir: folder.path, key, env: LOG, nodeOptions: OFTEN, housekeepingMayFail: true });
  let service = await start();
  let isUp = true;
  try {
    const load = await startLogLoad(service, { random, erasures: kills * 2, pick: () => (isUp ? service : undefined) });
    for (let i = 1; i <= kills; i++) {
      await Promise.race([pause(random.int(100, LOAD_MAX_MS)), load.failed]);
      await service.end('SIGKILL');
      isUp = false;
      service = await start();
      isUp = true;
      if (i % 20 === 0) tell(`${i} kills, ${load.decided()} decisions`);
    }
    return { kills, ...(await load.assertProven(service)) };
  } catch (error) {
    const said = service.output().slice(-2000);
    throw new Error(`with seed ${seed}: ${(error as Error).message}\n${said}`, { cause: error });
  } finally {
    await service.end('SIGKILL');
  }
}
