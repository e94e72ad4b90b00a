/**
 * A command's terminal: data goes to stdout and messages to stderr; color and progress lines need a terminal. Text
 * from elsewhere never controls the terminal. Ctrl-C aborts `signal`; a second one ends the process at once.
 */
import { fstatSync } from 'node:fs';
import { paint, plain, type Style } from '../lib/terminal-text.ts';

export interface Terminal {
  /** Writes data to stdout. Settles when more can be written; a closed pipe ends the process quietly. */
  out(text: string): Promise<void>;
  /** Writes a message to stderr. */
  err(text: string): void;
  /** Stdout is redirected to a file. */
  toFile: boolean;
  /** Stdout takes colors. */
  color: boolean;
  /** A person can answer prompts. */
  interactive: boolean;
  /** Lines on stderr can be redrawn. */
  moving: boolean;
  /** Columns; without a terminal there is no end. */
  width: number;
  env: NodeJS.ProcessEnv;
  /** Epoch ms. */
  now(): number;
  /** Aborts on Ctrl-C. Until it is first read, Ctrl-C ends the process. */
  readonly signal: AbortSignal;
}

/** Applies `plain` to each line of a message. */
export const plainLines = (text: string): string => text.split('\n').map(plain).join('\n');

/**
 * Line ends, tabs, colors and the redrawn line of `progress` are ours; other control characters came from elsewhere.
 */
// oxlint-disable-next-line no-control-regex
const CONTROLS = /\x1b\[[0-9;]*m|\r\x1b\[K|\r?\n|\t|[\p{Cc}\p{Bidi_Control}]/gu;

/** Makes data, such as an export, safe for a terminal; it keeps our own colors and line ends. */
export const harmless = (text: string): string =>
  text.replaceAll(CONTROLS, (found) => (found.length > 1 || found === '\n' || found === '\t' ? found : '\ufffd'));

export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

export const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Writes a record to stdout: as JSON with --json, else as `text` renders it. */
export const print = (
  terminal: Pick<Terminal, 'out'>,
  options: { json?: boolean },
  record: unknown,
  text: () => string,
): Promise<void> => terminal.out(options.json === true ? json(record) : text());

/** The same, but the text is a message: it goes to stderr. */
export async function report(
  terminal: Pick<Terminal, 'out' | 'err'>,
  options: { json?: boolean },
  record: unknown,
  text: string,
): Promise<void> {
  if (options.json === true) await terminal.out(json(record));
  else terminal.err(text);
}

/** Writes records to stdout: as JSON with --json, else as a table with these columns. */
export const printList = <R>(
  terminal: Pick<Terminal, 'out' | 'color' | 'width'>,
  options: { json?: boolean },
  records: readonly R[],
  columns: Record<string, (record: R) => TerminalCell>,
): Promise<void> =>
  print(terminal, options, records, () => {
    const rows = records.map((record) => Object.values(columns).map((show) => show(record)));
    return table(terminal, Object.keys(columns), rows);
  });

/** A text with a style: painted once it has its place, because colors have no width. */
export interface Painted {
  text: string;
  style: Style;
}

export type TerminalCell = string | number | boolean | null | undefined | Painted;

/**
 * Formats rows under their heads; numbers align right. The widest text columns shrink to fit the terminal, but not the
 * ids of the first column: the next command takes one.
 */
export function table(
  terminal: Pick<Terminal, 'color' | 'width'>,
  heads: readonly string[],
  rows: TerminalCell[][],
): string {
  const texts = rows.map((row) => row.map(toText));
  const widths = heads.map((head, i) => Math.max(head.length, ...texts.map((row) => row[i]?.length ?? 0)));
  const right = heads.map(
    (_, i) => rows.length > 0 && rows.every((row) => row[i] == null || typeof row[i] === 'number'),
  );
  const least = heads.map((_, i) => (i === 0 && rows.some(([first]) => isId(first)) ? widths[0]! : NARROW));
  const room = (): number => terminal.width - widths.reduce((sum, width) => sum + width + 2, -2);
  for (;;) {
    const widest = Math.max(...widths.filter((width, i) => width > least[i]!));
    if (room() >= 0 || widest < 0) break;
    widths[widths.findIndex((width, i) => width === widest && width > least[i]!)]! -= 1;
  }
  const line = (cells: readonly string[], styles: readonly TerminalCell[] = []): string =>
    cells
      .map((cell, i) => {
        const width = widths[i] ?? 0;
        const cut = cell.length > width ? `${cell.slice(0, width - 1)}…` : cell;
        const space = i === cells.length - 1 && right[i] !== true ? '' : ' '.repeat(width - cut.length);
        const style = styles[i];
        const shown = isPainted(style) ? paint(terminal, style.style, cut) : cut;
        return right[i] === true ? space + shown : shown + space;
      })
      .join('  ');
  return `${[paint(terminal, 'bold', line(heads)), ...texts.map((cells, i) => line(cells, rows[i]))].join('\n')}\n`;
}

const isPainted = (cell: TerminalCell): cell is Painted => typeof cell === 'object' && cell !== null;

const NARROW = 12;

const isId = (cell: TerminalCell): boolean => typeof cell === 'string' && /^[a-z]+_[0-9a-z]{26}$/.test(cell);

function toText(cell: TerminalCell): string {
  if (cell === null || cell === undefined) return '–';
  if (typeof cell === 'number') return cell.toLocaleString('en');
  return plain(isPainted(cell) ? cell.text : String(cell));
}

/** Draws a bar of two parts on the scale of `of`, the longest bar. A part above zero is at least one block. */
export function bar(terminal: Terminal, parts: readonly [number, number], of: number, width: number): string {
  const length = (part: number): number => (part === 0 ? 0 : Math.max(1, Math.round((part / Math.max(of, 1)) * width)));
  const [allowed, denied] = parts;
  return paint(terminal, 'green', '█'.repeat(length(allowed))) + paint(terminal, 'red', '░'.repeat(length(denied)));
}

export interface Progress {
  /** `part`: the share that is done, 0 to 1; undefined when the total is unknown. */
  show(done: number, part?: number): void;
  end(): void;
}

const SHOWN_AFTER_MS = 1_000;
const REDRAWN_EVERY_MS = 150;
const LOGGED_EVERY_MS = 10_000;

/** Shows rate and remaining time after a second: one redrawn line on a terminal, else a line every ten seconds. */
export function progress(terminal: Terminal, noun: string): Progress {
  const began = terminal.now();
  let next = began + (terminal.moving ? SHOWN_AFTER_MS : LOGGED_EVERY_MS);
  let drawn = false;
  return {
    show(done, part) {
      const now = terminal.now();
      if (now < next) return;
      next = now + (terminal.moving ? REDRAWN_EVERY_MS : LOGGED_EVERY_MS);
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

function isFile(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile();
  } catch {
    // It is closed.
    return false;
  }
}

/** Returns the terminal of this process. */
export function processTerminal(): Terminal {
  const { stdout, stderr, stdin, env } = process;
  const plainOnly = (env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb';
  // `postern decisions export | head` is not a failure.
  stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  let signal: AbortSignal | undefined;
  return {
    out: (text) =>
      new Promise((done) => {
        if (stdout.write(stdout.isTTY ? harmless(text) : text)) done();
        else stdout.once('drain', done);
      }),
    err: (text) => void stderr.write(stderr.isTTY ? harmless(text) : text),
    toFile: isFile(stdout.fd),
    color: stdout.isTTY && !plainOnly,
    interactive: stdin.isTTY && stderr.isTTY,
    moving: stderr.isTTY && env.TERM !== 'dumb',
    width: (stdout.isTTY && stdout.columns) || Infinity,
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
    // A terminal also interrupts the launcher, which forwards the signal: that is not a second Ctrl-C.
    process.on('SIGINT', () => Date.now() - at > SAME_PRESS_MS && process.exit(130));
  });
  return controller.signal;
}
