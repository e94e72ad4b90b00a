/**
 * Loaded before the service: its machine's clock is off by CLOCK_OFF_MS, and by what the file CLOCK_OFF_FILE says at
 * the time; or it jumps every CLOCK_JUMP_MS. The monotonic clock does not.
 */
import { readFileSync } from 'node:fs';

const LOOK_EVERY_MS = 20;
const JUMPS_MS = [0, 7_200_000, -7_200_000, 86_400_000, -15_000, 400];

let off = Number(process.env.CLOCK_OFF_MS ?? 0);
const { CLOCK_OFF_FILE: file, CLOCK_JUMP_MS: every } = process.env;
if (file !== undefined) setInterval(() => (off = Number(readFileSync(file, 'utf8'))), LOOK_EVERY_MS).unref();
if (every !== undefined) {
  let next = 0;
  setInterval(() => (off = JUMPS_MS[++next % JUMPS_MS.length] as number), Number(every)).unref();
}
const RealDate = Date;
const { now } = RealDate;
globalThis.Date = class extends RealDate {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(now() + off);
    else super(...(given as [number]));
  }
  static override now(): number {
    return now() + off;
  }
} as DateConstructor;
