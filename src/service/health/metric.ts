/**
 * A number that is read at each scrape, so counting costs the hot path one increment. Names that end in `_total` are
 * counters, the others gauges. Label values come from closed lists.
 */
export interface Metric {
  name: string;
  help: string;
  labels?: Record<string, string>;
  read(): number;
}
