/** Saves files that the console generates or the service streams. */
import { type Args, type Operation, open } from '../api/client.ts';

export function saveText(name: string, text: string, type = 'text/csv'): void {
  saveBlob(name, new Blob([text], { type }));
}

/** Saves a whole selection in the format `accept`. Throws as `call` does. */
export async function saveAnswer<O extends Operation>(
  name: string,
  operation: O,
  args: Args<O>,
  accept: string,
): Promise<void> {
  const answer = await open(operation, args, accept);
  saveBlob(name, await answer.blob());
}

function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Formats rows as CSV (RFC 4180). An apostrophe keeps spreadsheets from running a formula. */
export function toCsv(rows: readonly (readonly (string | number)[])[]): string {
  const cell = (value: string | number): string => {
    const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}
