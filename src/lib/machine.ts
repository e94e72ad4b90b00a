/** The machine that runs this process, or its container. */
import { totalmem } from 'node:os';

const MIB = 1024 * 1024;

export function machineMiB(): number {
  // Without a limit the system answers 0, or a number beyond any memory.
  const limit = process.constrainedMemory();
  return Math.floor((limit > 0 ? Math.min(limit, totalmem()) : totalmem()) / MIB);
}
