/** A stacked bar chart of requests, by outcome or otherwise. Dragging zooms in; the table below offers the same. */

import { useElementSize } from '@mantine/hooks';
import { nice, ticks } from 'd3-array';
import { type PointerEvent, useState } from 'react';
import { formatCount } from './show.tsx';

export interface Bar {
  label: string;
  title: string;
  /** A count for each series, from the bottom. */
  counts: readonly number[];
}

/** A part of each bar. */
export interface Series {
  name: string;
  tone: 'allowed' | 'denied' | 'quiet' | (typeof HUES)[number];
}

/** Colors without a meaning, to distinguish series. */
export const HUES = ['hue0', 'hue1', 'hue2', 'hue3', 'hue4', 'hue5', 'hue6', 'hue7', 'hue8', 'hue9'] as const;

const OUTCOMES: readonly Series[] = [
  { name: 'allowed', tone: 'allowed' },
  { name: 'denied', tone: 'denied' },
];

interface BarsProps {
  bars: readonly Bar[];
  series?: readonly Series[];
  height?: number;
  /** The accessible name. */
  summary: string;
  onZoom?: (from: number, to: number) => void;
}

const MARGIN = { top: 8, right: 4, bottom: 24, left: 46 };
const compact = new Intl.NumberFormat('en-GB', { notation: 'compact' });

export function Bars({ bars, series = OUTCOMES, height = 250, summary, onZoom }: BarsProps) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const [at, setAt] = useState<number>();
  const [from, setFrom] = useState<number>();
  const scale = getScale(bars, width, height);
  const indexAt = (event: PointerEvent<SVGSVGElement>): number =>
    scale.index(event.clientX - event.currentTarget.getBoundingClientRect().left - MARGIN.left);
  const down = (event: PointerEvent<SVGSVGElement>) => {
    if (onZoom === undefined || event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    setFrom(indexAt(event));
  };
  const up = (event: PointerEvent<SVGSVGElement>) => {
    if (from === undefined) return;
    const to = indexAt(event);
    setFrom(undefined);
    if (to !== from) onZoom?.(Math.min(from, to), Math.max(from, to));
  };
  const chosen = at === undefined ? undefined : bars[at];
  return (
    <div ref={ref} className="bars" style={{ height }}>
      {width > 0 && (
        <svg
          width={width}
          height={height}
          role="img"
          aria-label={summary}
          onPointerDown={down}
          onPointerMove={(event) => setAt(indexAt(event))}
          onPointerUp={up}
          onPointerCancel={() => setFrom(undefined)}
          onPointerLeave={() => setAt(undefined)}
        >
          <g transform={`translate(${MARGIN.left} ${MARGIN.top})`}>
            <Drawing bars={bars} series={series} scale={scale} at={at} from={from} />
          </g>
        </svg>
      )}
      {chosen !== undefined && at !== undefined && (
        <Bubble bar={chosen} series={series} left={Math.min(Math.max(scale.x(at) + MARGIN.left, 90), width - 90)} />
      )}
    </div>
  );
}

const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0);

interface Scale {
  width: number;
  height: number;
  /** Width of a bar. */
  bar: number;
  /** Left edge of a bar. */
  x(index: number): number;
  y(value: number): number;
  /** The bar below a point. */
  index(left: number): number;
  /** Values of the axis. */
  marks: readonly number[];
  /** The number of bars per label. */
  step: number;
}

function getScale(bars: readonly Bar[], outerWidth: number, outerHeight: number): Scale {
  const width = Math.max(0, outerWidth - MARGIN.left - MARGIN.right);
  const height = outerHeight - MARGIN.top - MARGIN.bottom;
  const band = width / Math.max(1, bars.length);
  const bar = band * (bars.length > 120 ? 1 : 0.78);
  const [, top] = nice(0, Math.max(1, ...bars.map(({ counts }) => sum(counts))), 4);
  return {
    width,
    height,
    bar,
    x: (index) => index * band + (band - bar) / 2,
    y: (value) => height * (1 - value / top),
    index: (left) => Math.min(bars.length - 1, Math.max(0, Math.floor(left / Math.max(band, 0.001)))),
    // Decisions are counted whole.
    marks: ticks(0, top, 4).filter(Number.isInteger),
    step: Math.max(1, Math.ceil(bars.length / Math.max(1, Math.floor(width / 76)))),
  };
}

const colorOf = (tone: Series['tone']): string => `var(--${tone === 'quiet' ? 'ink-soft' : tone})`;

interface DrawingProps {
  bars: readonly Bar[];
  series: readonly Series[];
  scale: Scale;
  /** The bar below the pointer. */
  at: number | undefined;
  /** The bar where dragging began. */
  from: number | undefined;
}

function Drawing({ bars, series, scale, at, from }: DrawingProps) {
  const { x, y, bar, width, height, marks, step } = scale;
  return (
    <>
      {marks.map((value) => (
        <line
          key={value}
          x1={0}
          x2={width}
          y1={y(value)}
          y2={y(value)}
          stroke="var(--line)"
          strokeDasharray={value === 0 ? undefined : '3 4'}
        />
      ))}
      {at !== undefined && <rect x={x(at)} width={bar} y={0} height={height} fill="var(--quiet-soft)" />}
      {bars.map(({ counts, label }, i) => (
        <g key={`${label}-${i}`}>
          {series.map(({ name, tone }, j) => {
            const [base, top] = [y(sum(counts.slice(0, j))), y(sum(counts.slice(0, j + 1)))];
            return <rect key={name} x={x(i)} width={bar} y={top} height={base - top} fill={colorOf(tone)} />;
          })}
        </g>
      ))}
      {from !== undefined && at !== undefined && (
        <rect
          className="chosen"
          x={x(Math.min(from, at))}
          width={x(Math.max(from, at)) - x(Math.min(from, at)) + bar}
          y={0}
          height={height}
        />
      )}
      {marks.map((value) => (
        <text key={value} x={-8} y={y(value) + 4} textAnchor="end">
          {compact.format(value)}
        </text>
      ))}
      {bars.map(({ label }, i) =>
        i % step === 0 ? (
          <text key={`${label}-${i}`} x={x(i) + bar / 2} y={height + 17} textAnchor="middle">
            {label}
          </text>
        ) : null,
      )}
    </>
  );
}

const FEW_SERIES = 3;

function Bubble({ bar, series, left }: { bar: Bar; series: readonly Series[]; left: number }) {
  const isShown = (i: number): boolean => series.length <= FEW_SERIES || (bar.counts[i] ?? 0) > 0;
  return (
    <div className="bubble" style={{ left }}>
      <strong>{bar.title}</strong>
      {series.map(
        ({ name, tone }, i) =>
          isShown(i) && (
            <span key={name} className="number">
              <i className={`dot ${tone}`} /> {formatCount(bar.counts[i] ?? 0)} {name}
            </span>
          ),
      )}
    </div>
  );
}

/** A sparkline, as large as a word. */
export function Trend({ values, label }: { values: readonly number[]; label: string }) {
  const max = Math.max(1, ...values);
  const x = (i: number): number => 1 + (82 * i) / Math.max(1, values.length - 1);
  const y = (value: number): number => 20 - (18 * value) / max;
  const path = values.map((value, i) => `${i === 0 ? 'M' : 'L'}${x(i).toFixed(1)},${y(value).toFixed(1)}`).join('');
  return (
    <svg className="trend" width={84} height={22} role="img" aria-label={label}>
      <path d={path} fill="none" stroke="currentColor" strokeWidth={1.5} strokeLinejoin="round" />
    </svg>
  );
}
