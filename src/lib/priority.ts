/** The priority of threads that compute beside checks. */
import { constants, getPriority, setPriority } from 'node:os';

/**
 * Lowers the priority of the calling thread, and of those that it starts, by so many steps below what it has: with
 * three it receives half of what a usual thread does when both want the same core, with ten a tenth. Never raises it,
 * which the system would refuse. Only on Linux: elsewhere a thread has that of its process.
 */
export function lowerPriority(steps: number): void {
  if (process.platform === 'linux') setPriority(Math.min(getPriority() + steps, constants.priority.PRIORITY_LOW));
}
