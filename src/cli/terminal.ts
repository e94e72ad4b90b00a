/**
 * Where a command speaks: data to stdout, talk to stderr, colour and moving lines on a terminal only, and nothing that came
 * from elsewhere can command the terminal. Ctrl-C aborts `signal` once; a second one ends the process at once.
 */
import { styleText } from 'node:util';

export interface Terminal {
  /** Data, to stdout. Settles when it may go on; a reader that went away ends the process quietly. */
  out(text: string): Promise<void>;
  /** Talk, to stderr. */
  err(text: string): void;
  /** Of stdout. */
  colour: boolean;
  /** Somebody is there who can be asked. */
  interactive: boolean;
  /** A line on stderr can be written over. */
  moving: boolean;
  /** Columns of the terminal; 100 where there is none. */
  width: number;
  env: NodeJS.ProcessEnv;
  /** Epoch ms. */
  now(): number;
  /** Aborts on Ctrl-C. Asking for it is what makes Ctrl-C gentle. */
  readonly signal: AbortSignal;
}

type Style = Parameters<typeof styleText>[0];

export const paint = ({ colour }: Pick<Terminal, 'colour'>, style: Style, text: string): string =>
  colour ? styleText(style, text, { validateStream: false }) : text;

/** What came from elsewhere must not command the terminal. */
export const plain = (text: string): string => text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '\ufffd');

export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

export const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

export type Cell = string | number | boolean | null | undefined;

/** Rows under their heads; numbers to the right. On a terminal the widest text columns give way to its width. */
export function table(terminal: Pick<Terminal, 'colour' | 'width'>, heads: readonly string[], rows: Cell[][]): string {
  const texts = rows.map((row) => row.map(textOf));
  const widths = heads.map((head, i) => Math.max(head.length, ...texts.map((row) => row[i]?.length ?? 0)));
  const right = heads.map(
    (_, i) => rows.length > 0 && rows.every((row) => row[i] == null || typeof row[i] === 'number'),
  );
  const room = (): number => terminal.width - widths.reduce((sum, width) => sum + width + 2, -2);
  while (room() < 0 && Math.max(...widths) > NARROW) widths[widths.indexOf(Math.max(...widths))]! -= 1;
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => {
        const width = widths[i] ?? 0;
        const cut = cell.length > width ? `${cell.slice(0, width - 1)}…` : cell;
        return right[i] === true ? cut.padStart(width) : cut.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  return `${[paint(terminal, 'bold', line(heads)), ...texts.map(line)].join('\n')}\n`;
}

const NARROW = 12;

function textOf(cell: Cell): string {
  if (cell === null || cell === undefined) return '–';
  return typeof cell === 'number' ? cell.toLocaleString('en') : plain(String(cell));
}

/** A bar of two parts, `of` being the longest there is. What is more than nothing is seen. */
export function bar(terminal: Terminal, parts: readonly [number, number], of: number, width: number): string {
  const length = (part: number): number => (part === 0 ? 0 : Math.max(1, Math.round((part / Math.max(of, 1)) * width)));
  const [allowed, denied] = parts;
  return paint(terminal, 'green', '█'.repeat(length(allowed))) + paint(terminal, 'red', '░'.repeat(length(denied)));
}

export interface Progress {
  /** `part`: how much of the whole is done, 0 to 1; undefined where the whole is not known. */
  show(done: number, part?: number): void;
  end(): void;
}

const SHOWN_AFTER_MS = 1_000;
const REDRAWN_EVERY_MS = 150;
const SAID_EVERY_MS = 10_000;

/** Rate and remaining time of anything that takes over a second; a moving line on a terminal, else a line now and then. */
export function progress(terminal: Terminal, noun: string): Progress {
  const began = terminal.now();
  let next = began + (terminal.moving ? SHOWN_AFTER_MS : SAID_EVERY_MS);
  let drawn = false;
  return {
    show(done, part) {
      const now = terminal.now();
      if (now < next) return;
      next = now + (terminal.moving ? REDRAWN_EVERY_MS : SAID_EVERY_MS);
      const seconds = (now - began) / 1000;
      const rate = `${Math.round(done / seconds).toLocaleString('en')}/s`;
      const rest = part === undefined || part <= 0 ? '' : `, ${duration((seconds / part) * (1 - part))} left`;
      const share = part === undefined ? '' : ` (${Math.floor(part * 100)} %)`;
      const text = `${counted(done, noun)}${share}, ${rate}${rest}`;
      terminal.err(terminal.moving ? `\r\x1b[K${text}` : `${text}\n`);
      drawn = terminal.moving;
    },
    end() {
      if (drawn) terminal.err('\r\x1b[K');
    },
  };
}

export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

const WIDTH_DEFAULT = 100;

/** This process. */
export function processTerminal(): Terminal {
  const { stdout, stderr, stdin, env } = process;
  const plainOnly = (env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb';
  // `postern decisions export | head` is no failure.
  stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  let signal: AbortSignal | undefined;
  return {
    out: (text) =>
      new Promise((done) => {
        if (stdout.write(text)) done();
        else stdout.once('drain', done);
      }),
    err: (text) => void stderr.write(text),
    colour: stdout.isTTY && !plainOnly,
    interactive: stdin.isTTY && stderr.isTTY,
    moving: stderr.isTTY && env.TERM !== 'dumb',
    width: (stdout.isTTY && stdout.columns) || WIDTH_DEFAULT,
    env,
    now: Date.now,
    get signal() {
      signal ??= onInterrupt();
      return signal;
    },
  };
}

const SAME_PRESS_MS = 300;

function onInterrupt(): AbortSignal {
  const controller = new AbortController();
  process.once('SIGINT', () => {
    controller.abort();
    const at = Date.now();
    // A terminal interrupts the launcher too, which passes it on: that is not a second Ctrl-C.
    process.on('SIGINT', () => Date.now() - at > SAME_PRESS_MS && process.exit(130));
  });
  return controller.signal;
}
