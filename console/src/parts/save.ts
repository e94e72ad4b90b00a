/** Saves files that the console generates or the service streams. */
import { useState } from 'react';
import { type Args, type Operation, open } from '../api/client.ts';
import { notifyFailure } from './notices.tsx';
import { useFocusAfter } from './returned-focus.ts';

export function saveText(name: string, text: string, type = 'text/csv'): void {
  saveBlob(name, new Blob([text], { type }));
}

/** Saves whole selections in a format, and says while it does. */
export function useSaving(): {
  saving: boolean;
  save: <O extends Operation>(name: string, operation: O, args: Args<O>, accept: string) => void;
} {
  const [saving, setSaving] = useState(false);
  useFocusAfter(saving);
  return {
    saving,
    save: (name, operation, args, accept) => {
      setSaving(true);
      void open(operation, args, accept)
        .then(async (answer) => saveBlob(name, await answer.blob()))
        .catch(notifyFailure)
        .finally(() => setSaving(false));
    },
  };
}

export function saveBlob(name: string, blob: Blob): void {
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
