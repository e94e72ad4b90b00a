/**
 * Durations of answers, as a histogram in Prometheus' text format. Counting is three additions, because every check
 * pays for it; labels are resolved once and the rest is worked out when it is read.
 * Source: prometheus.io/docs/instrumenting/exposition_formats.
 */

/** Upper bounds of the buckets, in seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

export class Durations {
  readonly #name: string;
  readonly #help: string;
  readonly #rows: { labels: string; row: DurationsRow }[] = [];

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  /** Adds a row. Label values contain no quotation marks, backslashes or line breaks. */
  add(labels: Record<string, string>): DurationsRow {
    const row = new DurationsRow();
    const text = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    this.#rows.push({ labels: text.join(','), row });
    return row;
  }

  text(): string {
    const name = this.#name;
    const lines = [`# HELP ${name} ${this.#help}`, `# TYPE ${name} histogram`];
    for (const { labels, row } of this.#rows) {
      let count = 0;
      for (const [i, bound] of [...BOUNDS, '+Inf'].entries()) {
        count += row.counts[i] as number;
        lines.push(`${name}_bucket{le="${bound}",${labels}} ${count}`);
      }
      lines.push(`${name}_sum{${labels}} ${row.seconds}`, `${name}_count{${labels}} ${count}`);
    }
    return `${lines.join('\n')}\n`;
  }
}

export class DurationsRow {
  /** By bucket; the last one has no upper bound. */
  readonly counts: number[] = Array.from({ length: BOUNDS.length + 1 }, () => 0);
  seconds = 0;

  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] as number)) bucket++;
    (this.counts[bucket] as number)++;
    this.seconds += seconds;
  }
}
