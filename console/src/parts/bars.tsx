/** Allowed and denied over time, stacked. Drag over it, or use the table below it, to look closer. */

import { useElementSize } from '@mantine/hooks';
import { nice, ticks } from 'd3-array';
import { line } from 'd3-shape';
import { type PointerEvent, useState } from 'react';
import { countOf } from './show.tsx';

export interface Bar {
  label: string;
  title: string;
  allowed: number;
  denied: number;
}

interface BarsProps {
  bars: readonly Bar[];
  height?: number;
  /** What it shows, for who cannot see it. */
  summary: string;
  onZoom?: (from: number, to: number) => void;
}

const MARGIN = { top: 8, right: 4, bottom: 24, left: 46 };
const compact = new Intl.NumberFormat('en-GB', { notation: 'compact' });

export function Bars({ bars, height = 250, summary, onZoom }: BarsProps) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const [at, setAt] = useState<number>();
  const [from, setFrom] = useState<number>();
  const inner = { width: Math.max(0, width - MARGIN.left - MARGIN.right), height: height - MARGIN.top - MARGIN.bottom };
  const band = inner.width / Math.max(1, bars.length);
  const bar = band * (bars.length > 120 ? 1 : 0.78);
  const x = (i: number): number => i * band + (band - bar) / 2;
  const [, top] = nice(0, Math.max(1, ...bars.map(({ allowed, denied }) => allowed + denied)), 4);
  const y = (value: number): number => inner.height * (1 - value / top);
  // Halves of a decision there are none.
  const marks = ticks(0, top, 4).filter(Number.isInteger);
  const step = Math.max(1, Math.ceil(bars.length / Math.max(1, Math.floor(inner.width / 76))));
  const indexAt = (event: PointerEvent<SVGSVGElement>): number => {
    const left = event.clientX - event.currentTarget.getBoundingClientRect().left - MARGIN.left;
    return Math.min(bars.length - 1, Math.max(0, Math.floor(left / Math.max(band, 0.001))));
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
          onPointerDown={(event) => {
            if (onZoom === undefined || event.button !== 0) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            setFrom(indexAt(event));
          }}
          onPointerMove={(event) => setAt(indexAt(event))}
          onPointerUp={up}
          onPointerCancel={() => setFrom(undefined)}
          onPointerLeave={() => setAt(undefined)}
        >
          <g transform={`translate(${MARGIN.left} ${MARGIN.top})`}>
            {marks.map((value) => (
              <line
                key={value}
                x1={0}
                x2={inner.width}
                y1={y(value)}
                y2={y(value)}
                stroke="var(--line)"
                strokeDasharray={value === 0 ? undefined : '3 4'}
              />
            ))}
            {at !== undefined && <rect x={x(at)} width={bar} y={0} height={inner.height} fill="var(--quiet-soft)" />}
            {bars.map(({ allowed, denied, label }, i) => (
              <g key={`${label}-${i}`}>
                <rect x={x(i)} width={bar} y={y(allowed)} height={inner.height - y(allowed)} fill="var(--allowed)" />
                <rect
                  x={x(i)}
                  width={bar}
                  y={y(allowed + denied)}
                  height={y(allowed) - y(allowed + denied)}
                  fill="var(--denied)"
                />
              </g>
            ))}
            {from !== undefined && at !== undefined && (
              <rect
                className="chosen"
                x={x(Math.min(from, at))}
                width={x(Math.max(from, at)) - x(Math.min(from, at)) + bar}
                y={0}
                height={inner.height}
              />
            )}
            {marks.map((value) => (
              <text key={value} x={-8} y={y(value) + 4} textAnchor="end">
                {compact.format(value)}
              </text>
            ))}
            {bars.map(({ label }, i) =>
              i % step === 0 ? (
                <text key={`${label}-${i}`} x={x(i) + bar / 2} y={inner.height + 17} textAnchor="middle">
                  {label}
                </text>
              ) : null,
            )}
          </g>
        </svg>
      )}
      {chosen !== undefined && at !== undefined && (
        <div className="bubble" style={{ left: Math.min(Math.max(x(at) + MARGIN.left, 90), width - 90) }}>
          <strong>{chosen.title}</strong>
          <span className="number">
            <i className="dot allowed" /> {countOf(chosen.allowed)} allowed
          </span>
          <span className="number">
            <i className="dot denied" /> {countOf(chosen.denied)} denied
          </span>
        </div>
      )}
    </div>
  );
}

/** The run of something, in the room of a word. */
export function Trend({ values, label }: { values: readonly number[]; label: string }) {
  const max = Math.max(1, ...values);
  const x = (i: number): number => 1 + (82 * i) / Math.max(1, values.length - 1);
  const y = (value: number): number => 20 - (18 * value) / max;
  const path = line<number>((_, i) => x(i), y)(values) ?? '';
  return (
    <svg className="trend" width={84} height={22} role="img" aria-label={label}>
      <path d={path} fill="none" stroke="currentColor" strokeWidth={1.5} strokeLinejoin="round" />
    </svg>
  );
}
