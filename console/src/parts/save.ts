/** Files made here, and files the service streams. */
import { type Args, fetchOperation, type Operation } from '../api/client.ts';

export function saveText(name: string, text: string, type = 'text/csv'): void {
  saveBlob(name, new Blob([text], { type }));
}

/** A whole selection, in the format that `accept` names. Throws ApiError. */
export async function saveAnswer<O extends Operation>(
  name: string,
  operation: O,
  args: Args<O>,
  accept: string,
): Promise<void> {
  const answer = await fetchOperation(operation, { ...args, headers: { accept } });
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

/** RFC 4180; what a spreadsheet would run as a formula is made text by an apostrophe. */
export function csvOf(rows: readonly (readonly (string | number)[])[]): string {
  const cell = (value: string | number): string => {
    const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}
