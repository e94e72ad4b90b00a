/** Loaded before the service: its machine's clock is off by CLOCK_OFF_MS. The monotonic clock is not. */
const off = Number(process.env.CLOCK_OFF_MS ?? 0);
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
