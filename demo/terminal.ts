/** Draws color and a progress line, which fits the terminal. Color needs a terminal and no NO_COLOR. */
import { styleText } from 'node:util';

const out = process.stdout;
const WIDTH_MAX = 110;
const WIDTH_MIN = 50;

const terminalWidth = (): number => Math.max(WIDTH_MIN, Math.min(WIDTH_MAX, out.columns ?? 100));

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
export const seconds = (ms: number): string => (ms < 995 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);
const rate = (things: number, ms: number): string => `${count((1000 * things) / Math.max(1, ms))}/s`;

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
    const cells = Math.max(6, Math.min(28, terminalWidth() - figures.length - label.length - 8));
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
