/** Where the time went: functions by their own time, from the CPU profiles a server left behind. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
}

const SHOWN = 25;
const ROOT = join(import.meta.dirname, '..');

/** A table for each thread, the busiest first. */
export function summarizeProfiles(dir: string): string {
  const threads = readdirSync(dir)
    .filter((name) => name.endsWith('.cpuprofile'))
    .map((name) => selfTimes(JSON.parse(readFileSync(join(dir, name), 'utf8')) as CpuProfile))
    .toSorted((a, b) => b.busyMs - a.busyMs);
  return threads
    .map(({ busyMs, totalMs, rows }, i) => {
      const lines = rows
        .slice(0, SHOWN)
        .map(([where, ms]) => `${((ms / busyMs) * 100).toFixed(1).padStart(6)} %  ${where}`);
      const title = `thread ${i + 1}: busy ${(busyMs / 1000).toFixed(1)} s of ${(totalMs / 1000).toFixed(1)} s`;
      return [title, ...lines].join('\n');
    })
    .join('\n\n');
}

function selfTimes({ nodes, samples, timeDeltas }: CpuProfile) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const byPlace = new Map<string, number>();
  let totalMs = 0;
  let busyMs = 0;
  for (const [i, id] of samples.entries()) {
    const frame = frames.get(id);
    const ms = (timeDeltas[i] ?? 0) / 1000;
    totalMs += ms;
    if (frame === undefined || frame.functionName === '(idle)') continue;
    busyMs += ms;
    const where = `${frame.functionName || '(anonymous)'} ${placeOf(frame.url, frame.lineNumber)}`.trim();
    byPlace.set(where, (byPlace.get(where) ?? 0) + ms);
  }
  return { totalMs, busyMs, rows: [...byPlace].toSorted((a, b) => b[1] - a[1]) };
}

function placeOf(url: string, line: number): string {
  if (url === '') return '';
  const path = url.startsWith('file:') ? relative(ROOT, fileURLToPath(url)) : url;
  return `${path}:${line + 1}`;
}
