/**
 * Draws color, bars, sparklines, tables and a progress line. Charts and tables fit the terminal. Color needs a
 * terminal and no NO_COLOR; every chart is readable without it.
 */
import { stripVTControlCharacters, styleText } from 'node:util';

const out = process.stdout;
const WIDTH_MAX = 110;
const WIDTH_MIN = 50;

export const terminalWidth = (): number => Math.max(WIDTH_MIN, Math.min(WIDTH_MAX, out.columns ?? 100));

type Style = Parameters<typeof styleText>[0];
/** styleText asks the stream itself: a terminal, NO_COLOR, FORCE_COLOR. */
const styled =
  (style: Style) =>
  (text: string): string =>
    styleText(style, text, { stream: out });

export const bold = styled('bold');
export const dim = styled('dim');
export const green = styled('green');
export const red = styled('red');
export const cyan = styled('cyan');

/** Writes a line; it replaces a status line. */
export const say = (text = ''): void => void out.write(`${clear()}${text}\n`);

let shown = false;
const clear = (): string => (shown ? ((shown = false), '\r\u001b[K') : '');

/** Shows what the demo waits for, until the next line; only on a terminal. */
export function status(text: string): void {
  if (!out.isTTY) return;
  out.write(`${clear()}   ${dim(text)}`);
  shown = true;
}

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
export const count = (value: number): string => whole.format(value);
export const percent = (part: number, all: number): string => (all === 0 ? '–' : `${((100 * part) / all).toFixed(1)}%`);
export const seconds = (ms: number): string => (ms < 995 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);
export const rate = (things: number, ms: number): string => `${count((1000 * things) / Math.max(1, ms))}/s`;

const visible = (text: string): number => [...stripVTControlCharacters(text)].length;

export function cut(text: string, width: number): string {
  const letters = [...text];
  return letters.length <= width ? text : `${letters.slice(0, Math.max(0, width - 1)).join('')}…`;
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const;
const LEVELS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** Draws `value` of `max` in `width` cells, to an eighth of a cell. A value above zero is visible. */
export function bar(value: number, max: number, width: number): string {
  if (value <= 0 || max <= 0) return '';
  const eighths = Math.max(1, Math.round((value / max) * width * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
}

/** Draws two parts of a whole, which differ in shade and in color. */
export function stacked(first: number, second: number, max: number, width: number): string {
  const cells = max <= 0 ? 0 : Math.round(((first + second) / max) * width);
  const firstCells = first + second === 0 ? 0 : Math.round((cells * first) / (first + second));
  return green('█'.repeat(firstCells)) + red('░'.repeat(cells - firstCells));
}

/** Draws one character for each value; zero is a gap. */
export function sparkline(values: readonly number[]): string {
  const max = Math.max(...values, 1);
  return values.map((value) => (value <= 0 ? ' ' : LEVELS[Math.min(7, Math.floor((value / max) * 8))])).join('');
}

/** Draws values as columns, `height` lines high and `cell` wide. */
export function columnChart(values: readonly number[], height: number, cell: number): string[] {
  const max = Math.max(...values, 1);
  const lines: string[] = [];
  for (let line = height - 1; line >= 0; line--) {
    const letters = values.map((value) => {
      const eighths = value <= 0 ? 0 : Math.max(1, Math.round((value / max) * height * 8));
      const here = Math.min(8, eighths - line * 8);
      return here <= 0 ? ' '.repeat(cell) : `${(LEVELS[here - 1] as string).repeat(cell - 1)} `;
    });
    lines.push(letters.join(''));
  }
  return lines;
}

export interface Column {
  title: string;
  align?: 'left' | 'right';
  /** Takes the rest of the line; its texts are cut to fit. */
  grows?: boolean;
}

/** Formats rows under their titles, at most as wide as the terminal. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[], indent = 3): string[] {
  const widths = columns.map(({ title }, i) => Math.max(title.length, ...rows.map((row) => visible(row[i] ?? ''))));
  const gaps = 2 * (columns.length - 1) + indent;
  const over = widths.reduce((sum, width) => sum + width, gaps) - terminalWidth();
  const growing = columns.findIndex(({ grows }) => grows === true);
  if (over > 0 && growing >= 0) widths[growing] = Math.max(8, (widths[growing] as number) - over);
  const line = (cells: readonly string[]): string =>
    `${' '.repeat(indent)}${cells
      .map((cell, i) => {
        const width = widths[i] as number;
        const text = i === growing ? cut(cell, width) : cell;
        const space = ' '.repeat(Math.max(0, width - visible(text)));
        return columns[i]?.align === 'right' ? space + text : text + space;
      })
      .join('  ')}`.trimEnd();
  return [dim(line(columns.map(({ title }) => title))), ...rows.map(line)];
}

export interface Progress {
  to(done: number): void;
  /** Writes the finished line with the rate. */
  end(): void;
}

const REDRAW_MS = 80;

/** Draws a line that fills; without a terminal, only its end is written. */
export function progress(label: string, total: number, unit: string): Progress {
  const began = performance.now();
  let done = 0;
  let drawn = 0;
  const draw = (finished: boolean): void => {
    const ms = performance.now() - began;
    const figures = finished
      ? `${count(done)} ${unit} in ${seconds(ms)} (${rate(done, ms)})`
      : `${count(done)} of ${count(total)} ${unit} (${rate(done, ms)})`;
    const cells = Math.max(6, Math.min(28, terminalWidth() - visible(figures) - label.length - 8));
    const full = total === 0 ? cells : Math.min(cells, Math.floor((done / total) * cells));
    const line = `   ${label} ${cyan('━'.repeat(full))}${dim('┄'.repeat(cells - full))} ${figures}`;
    if (out.isTTY) out.write(`\r\u001b[K${line}${finished ? '\n' : ''}`);
    else if (finished) out.write(`${line}\n`);
  };
  return {
    to(value) {
      done = value;
      if (!out.isTTY || performance.now() - drawn < REDRAW_MS) return;
      drawn = performance.now();
      draw(false);
    },
    end: () => draw(true),
  };
}
