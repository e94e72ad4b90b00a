/** Pieces of the page: text of the log becomes HTML here only, and charts are drawn as SVG without scripts. */
import { plain } from '../../src/lib/terminal-text.ts';

/** Text that is safe inside elements and attributes. */
export const escape = (text: string): string =>
  plain(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');

export const number = (value: number): string => value.toLocaleString('en');

/** HTML that is safe already; aligned right where it stands for a number. */
export interface Html {
  html: string;
  right?: true;
}

export type TableCell = string | number | Html;

const isRight = (cell: TableCell): boolean =>
  typeof cell === 'number' || (typeof cell === 'object' && cell.right === true);

/** A table with its heads; columns of numbers align right. */
export function tableHtml(heads: readonly string[], rows: readonly TableCell[][]): string {
  const classes = heads.map((_head, i) => (rows.some((row) => isRight(row[i] ?? '')) ? ' class="n"' : ''));
  const toText = (cell: TableCell): string =>
    typeof cell === 'object' ? cell.html : escape(typeof cell === 'number' ? number(cell) : cell);
  const head = heads.map((text, i) => `<th${classes[i]}>${escape(text)}</th>`).join('');
  const body = rows.map((row) => `<tr>${row.map((cell, i) => `<td${classes[i]}>${toText(cell)}</td>`).join('')}</tr>`);
  return `<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>\n${body.join('\n')}\n</tbody></table></div>`;
}

export interface BarRow {
  label: string;
  note: string;
  /** In the order of the legend. */
  parts: { kind: string; value: number }[];
}

/** Horizontal bars on one scale, each in parts. */
export function barsHtml(rows: readonly BarRow[]): string {
  const sums = rows.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0));
  const most = Math.max(1, ...sums);
  const lines = rows.map(({ label, note, parts }, i) => {
    const pieces = parts
      .filter(({ value }) => value > 0)
      .map(({ kind, value }) => {
        const width = Math.max(0.3, (value / most) * 100).toFixed(2);
        return `<span class="part ${kind}" style="width:${width}%" title="${escape(`${kind}: ${number(value)}`)}"></span>`;
      });
    return `<div class="row"><span class="label">${escape(label)}<small>${escape(note)}</small></span><span class="bar">${pieces.join('')}</span><span class="value">${number(sums[i] ?? 0)}</span></div>`;
  });
  return `<div class="bars">${lines.join('\n')}</div>`;
}

export interface Day {
  date: string;
  /** By kind. */
  values: Record<string, number>;
}

const WIDTH = 960;
const HEIGHT = 240;
const LEFT = 56;
const BOTTOM = 22;
/** More days than this share columns. */
const COLUMNS_MAX = 120;

/** Columns over time, stacked by kind. */
export function daysSvg(days: readonly Day[], kinds: readonly string[]): string {
  const columns = joined(days);
  const most = Math.max(1, ...columns.map((day) => sumValues(day, kinds)));
  const top = niceAbove(most);
  const step = (WIDTH - LEFT) / Math.max(1, columns.length);
  const y = (value: number): number => (HEIGHT - BOTTOM) * (1 - value / top);
  const columnsSvg = columns.map((day, i) => {
    let below = 0;
    const rects = kinds.flatMap((kind) => {
      const value = day.values[kind] ?? 0;
      if (value === 0) return [];
      const at = y(below + value);
      const height = Math.max(0.5, y(below) - at);
      below += value;
      return [
        `<rect class="${kind}" x="${(LEFT + i * step + step * 0.1).toFixed(1)}" y="${at.toFixed(1)}" width="${(step * 0.8).toFixed(1)}" height="${height.toFixed(1)}"><title>${escape(`${day.date}, ${kind}: ${number(value)}`)}</title></rect>`,
      ];
    });
    return rects.join('');
  });
  const lines = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const at = y(top * share).toFixed(1);
    return `<line x1="${LEFT}" x2="${WIDTH}" y1="${at}" y2="${at}"/><text x="${LEFT - 6}" y="${at}" dy="4" text-anchor="end">${short(top * share)}</text>`;
  });
  const labels = labelPlaces(columns.length).map(
    (i) =>
      `<text x="${(LEFT + (i + 0.5) * step).toFixed(1)}" y="${HEIGHT - 4}" text-anchor="middle">${escape(columns[i]?.date ?? '')}</text>`,
  );
  return `<svg viewBox="0 -8 ${WIDTH} ${HEIGHT + 8}" role="img" aria-label="Requests of crawlers by day and purpose">${lines.join('')}${labels.join('')}${columnsSvg.join('')}</svg>`;
}

const sumValues = ({ values }: Day, kinds: readonly string[]): number =>
  kinds.reduce((sum, kind) => sum + (values[kind] ?? 0), 0);

/** Joins adjacent days so that all columns fit. */
function joined(days: readonly Day[]): Day[] {
  const size = Math.ceil(days.length / COLUMNS_MAX);
  const columns: Day[] = [];
  for (let i = 0; i < days.length; i += size) {
    const values: Record<string, number> = {};
    for (const day of days.slice(i, i + size)) {
      for (const [kind, value] of Object.entries(day.values)) values[kind] = (values[kind] ?? 0) + value;
    }
    columns.push({ date: days[i]?.date ?? '', values });
  }
  return columns;
}

function labelPlaces(count: number): number[] {
  const wanted = Math.min(count, 6);
  return Array.from({ length: wanted }, (_, i) => Math.floor(((i + 0.5) * count) / wanted));
}

/** A number with one or two digits that is not below the value, and whose quarters are short. */
function niceAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const found = [1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10].find((factor) => factor * power >= value) ?? 10;
  return Math.max(4, found * power);
}

const short = (value: number): string => value.toLocaleString('en', { notation: 'compact', maximumFractionDigits: 1 });
