/** Logs to stderr: a line of JSON for each entry, or readable lines where stderr is a terminal. */
import { type Logger, pino } from 'pino';
import { paint, plain } from '../lib/terminal-text.ts';
import type { Config } from './config.ts';

/** Where entries go, such as `process.stderr`. */
interface Target {
  isTTY?: boolean;
  write(line: string): unknown;
}

export function openLog({ logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>, target?: Target): Logger {
  const { isTTY = false } = target ?? process.stderr;
  const options = { level: logLevel, serializers: { err: errorFields } };
  if (logFormat === 'text' || (logFormat === 'auto' && isTTY)) {
    const color = isTTY && (process.env.NO_COLOR ?? '') === '';
    return pino(options, { write: (line: string) => void (target ?? process.stderr).write(humanLine(line, color)) });
  }
  return pino(options, target === undefined ? pino.destination(2) : { write: (line) => void target.write(line) });
}

interface ErrorFields {
  type: string;
  message: string;
  stack: string;
  code?: string;
  cause?: ErrorFields;
}

const CAUSES_MAX = 8;

/**
 * Keeps what says where an error comes from. Its other properties may hold values of rows, bodies or tokens: a `detail`
 * of PostgreSQL quotes the row, and libraries attach the answers that they received.
 */
function errorFields(error: unknown, depth = 0): ErrorFields {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error), stack: '' };
  const { code } = error as NodeJS.ErrnoException;
  return {
    type: error.name,
    message: error.message,
    stack: error.stack ?? '',
    ...(typeof code === 'string' ? { code } : {}),
    ...(error.cause === undefined || depth === CAUSES_MAX ? {} : { cause: errorFields(error.cause, depth + 1) }),
  };
}

/** Fields of every entry that a terminal does not show. */
const NOT_SHOWN = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'err']);

/** Formats `09:30:00 WARN  message name=value`, with the stack of an error below. Control characters are escaped. */
export function humanLine(line: string, color: boolean): string {
  const entry = JSON.parse(line) as { level: number; time: number; msg?: string; err?: ErrorFields };
  const name = pino.levels.labels[entry.level] ?? String(entry.level);
  const style = entry.level >= 50 ? 'red' : entry.level >= 40 ? 'yellow' : 'green';
  const fields = Object.entries(entry)
    .filter(([field]) => !NOT_SHOWN.has(field))
    .map(([field, value]) => ` ${field}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const time = new Date(entry.time).toTimeString().slice(0, 8);
  const first = `${time} ${paint({ color }, style, name.toUpperCase().padEnd(5))} ${plain(entry.msg ?? '')}`;
  return [
    `${first}${paint({ color }, 'dim', plain(fields.join('')))}`,
    ...traceLines(entry.err).map((text) => `    ${plain(text)}`),
    '',
  ].join('\n');
}

/** The stack of an error and of each of its causes. */
function traceLines(err: Partial<ErrorFields> | undefined): string[] {
  if (err === undefined) return [];
  const own = (err.stack || err.message || '').split('\n').filter((text) => text !== '');
  const [first = '', ...rest] = traceLines(err.cause);
  return first === '' ? own : [...own, `caused by ${first}`, ...rest];
}
