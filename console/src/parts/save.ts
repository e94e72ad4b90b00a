/** Saves files that the console generates or the service streams. */
import { useState } from 'react';
import { BYTE_ORDER_MARK } from '../../../src/lib/csv-cell.ts';
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

/** CSV is saved for spreadsheets, which read it as UTF-8 only behind a byte order mark. */
export function saveBlob(name: string, blob: Blob): void {
  const { type } = blob;
  const url = URL.createObjectURL(type.startsWith('text/csv') ? new Blob([BYTE_ORDER_MARK, blob], { type }) : blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
