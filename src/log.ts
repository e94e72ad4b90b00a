/** Logs to stderr: a line of JSON for each entry, or readable lines where stderr is a terminal. */
import { type Logger, pino } from 'pino';
import { paint, plain } from './cli/terminal.ts';

export function openLog(level: string, { isTTY } = process.stderr): Logger {
  return pino(
    { level },
    isTTY ? { write: (line: string) => void process.stderr.write(humanLine(line)) } : pino.destination(2),
  );
}

/** Fields of every entry that a terminal does not show. */
const NOT_SHOWN = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'err']);

/** Formats `09:30:00 WARN  message name=value`, with the stack of an error below. Control characters are escaped. */
export function humanLine(line: string, color = (process.env.NO_COLOR ?? '') === ''): string {
  const entry = JSON.parse(line) as {
    level: number;
    time: number;
    msg?: string;
    err?: { stack?: string; message?: string };
  };
  const name = pino.levels.labels[entry.level] ?? String(entry.level);
  const style = entry.level >= 50 ? 'red' : entry.level >= 40 ? 'yellow' : 'green';
  const fields = Object.entries(entry)
    .filter(([field]) => !NOT_SHOWN.has(field))
    .map(([field, value]) => ` ${field}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const time = new Date(entry.time).toTimeString().slice(0, 8);
  const trace = (entry.err?.stack ?? entry.err?.message ?? '').split('\n').filter((text) => text !== '');
  const first = `${time} ${paint({ color }, style, name.toUpperCase().padEnd(5))} ${plain(entry.msg ?? '')}`;
  return [
    `${first}${paint({ color }, 'dim', plain(fields.join('')))}`,
    ...trace.map((text) => `    ${plain(text)}`),
    '',
  ].join('\n');
}
