/** Times reports of a running service, and the same questions to its records. */
import { join } from 'node:path';
import { openConnection } from '../src/db/sqlite/connection.ts';
import { median } from './figure.ts';
import { type Postern, startPostern } from './service.ts';

export interface Report {
  summary: { totalRequests: number; uniqueRequesters: number; uniqueContent: number };
}

export const ALL = '/v1/analytics/usage?period=all';

/** Stops a service that has caught up; what it takes is from its start to the first report. */
export async function startToReport(dataDir: string, total: number): Promise<{ ms: number; cpuMs: number }> {
  const began = performance.now();
  await using postern = await startPostern({ dataDir });
  for (;;) {
    // While it is still counting, a report is refused after ten seconds.
    const report = await postern.get<Report>(ALL).catch(() => undefined);
    if (report === undefined) continue;
    if (report.summary.totalRequests !== total) throw new Error(`${report.summary.totalRequests} instead of ${total}`);
    return { ms: performance.now() - began, cpuMs: postern.cpuMs() };
  }
}

/** Returns the median of what an answer takes, and the processor time of one. */
export async function timed(postern: Postern, path: string, rounds: number): Promise<{ value: number; cpuMs: number }> {
  const took: number[] = [];
  const cpuMs = postern.cpuMs();
  for (let i = 0; i < rounds; i++) {
    const began = performance.now();
    await postern.get(path);
    took.push(performance.now() - began);
  }
  return { value: median(took), cpuMs: (postern.cpuMs() - cpuMs) / rounds };
}

/** Returns the time of a question to the records, in ms. */
export function askRecords(dataDir: string, sql: string, params: readonly number[]): number {
  const connection = openConnection(join(dataDir, 'postern.db'), { readOnly: true });
  const began = performance.now();
  connection.all(sql, params);
  const tookMs = performance.now() - began;
  connection.close();
  return tookMs;
}
