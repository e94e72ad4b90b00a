/** The visitors with most requests over time; forged names stand out. */
import { bucketLabel, bucketTitle, zoomed } from '../overview/range.ts';
import { Bars, HUES, type Series } from '../parts/bars.tsx';
import { useFilters } from '../parts/filters.ts';
import { Panel } from '../parts/page.tsx';
import { formatCount } from '../parts/show.tsx';
import { whoWords } from '../parts/who.tsx';
import type { Report, Visitor } from './types.ts';

export function OverTime({ report: { visitors, buckets, period }, busy }: { report: Report; busy: boolean }) {
  const { set } = useFilters();
  const drawn = toDrawn(visitors);
  const series = drawn.map(({ name, tone }): Series => ({ name, tone }));
  return (
    <Panel title="Over time" lead="The visitors with most requests. Drag over the bars to zoom in.">
      <ul className="legend hues" aria-label="Colors">
        {series.map(({ name, tone }) => (
          <li key={name}>
            <i className={`dot ${tone}`} /> {name}
          </li>
        ))}
      </ul>
      <div aria-busy={busy}>
        <Bars
          series={series}
          bars={buckets.map((date, i) => ({
            label: bucketLabel(date, period.groupBy),
            title: bucketTitle(date, period.groupBy),
            counts: drawn.map(({ trends }) => trends.reduce((sum, trend) => sum + (trend[i] ?? 0), 0)),
          }))}
          summary={visitors.map(({ who, requests }) => `${whoWords(who)}: ${formatCount(requests)}`).join('; ')}
          onZoom={(from, to) => set(zoomed({ timeSeries: buckets.map((date) => ({ date })), period }, from, to))}
        />
      </div>
    </Panel>
  );
}

interface Drawn extends Series {
  trends: readonly (readonly number[])[];
}

/** Returns a series for each visitor, as far as there are colors, and another for all forged names. */
function toDrawn(visitors: readonly Visitor[]): Drawn[] {
  const [forged, others] = [visitors.filter(isForged), visitors.filter((one) => !isForged(one))];
  const drawn = HUES.flatMap((tone, i): Drawn[] => {
    const visitor = others[i];
    return visitor === undefined ? [] : [{ name: whoWords(visitor.who), tone, trends: [visitor.trend] }];
  });
  const names: Drawn = { name: 'Forged names', tone: 'denied', trends: forged.map(({ trend }) => trend) };
  return forged.length === 0 ? drawn : [...drawn, names];
}

const isForged = ({ who }: Visitor): boolean => who.proof === 'spoofed';
