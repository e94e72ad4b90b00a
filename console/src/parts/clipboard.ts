/**
 * Copies text. Over plain HTTP, except on localhost, browsers offer no clipboard; copying the selection still works.
 * Failure is reported, so that a key shown once is not lost.
 */
import { useCallback, useEffect, useRef, useState } from 'react';
import { notifyFailure } from './notices.tsx';

const SHOWN_MS = 1_500;

async function copyText(text: string): Promise<boolean> {
  try {
    // Undefined in an insecure context, despite its type.
    await (navigator.clipboard as Clipboard | undefined)?.writeText(text);
    if (navigator.clipboard !== undefined) return true;
  } catch {
    // Not permitted; copying the selection may be.
  }
  return copySelected(text);
}

/** Copies through an invisible selection, then restores the previous one. */
function copySelected(text: string): boolean {
  const holder = document.createElement('span');
  holder.textContent = text;
  holder.className = 'to-copy';
  holder.ariaHidden = 'true';
  document.body.append(holder);
  const selection = document.getSelection();
  const before = selection === null || selection.rangeCount === 0 ? undefined : selection.getRangeAt(0);
  const take = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    event.stopPropagation();
  };
  document.addEventListener('copy', take, { capture: true });
  try {
    const range = document.createRange();
    range.selectNodeContents(holder);
    selection?.removeAllRanges();
    selection?.addRange(range);
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    document.removeEventListener('copy', take, { capture: true });
    selection?.removeAllRanges();
    if (before !== undefined) selection?.addRange(before);
    holder.remove();
  }
}

export interface Copying {
  /** True for a short time after copying. */
  copied: boolean;
  copy: (text: string, onFailed?: () => void) => void;
}

export function useCopy(): Copying {
  const [copied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = useCallback((text: string, onFailed?: () => void) => {
    void copyText(text).then((done) => {
      setCopied(done);
      clearTimeout(timer.current);
      if (done) {
        timer.current = setTimeout(() => setCopied(false), SHOWN_MS);
        return;
      }
      onFailed?.();
      notifyFailure(
        new Error('Nothing was copied: the browser does not allow it here. Select the text and copy it yourself.'),
      );
    });
  }, []);
  return { copied, copy };
}
