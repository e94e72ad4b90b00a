/** Text with a copy button: ids, and secrets that are shown once. */
import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useRef } from 'react';
import { useCopy } from './clipboard.ts';
import { useKeptDialog } from './dialog.tsx';
import { IconCheck, IconCopy } from './icons.ts';

export function Copy({ text, what }: { text: string; what: string }) {
  const { copied, copy } = useCopy();
  return (
    <Tooltip label={copied ? 'Copied' : `Copy ${what}`}>
      <ActionIcon variant="subtle" color="gray" size="sm" onClick={() => copy(text)} aria-label={`Copy ${what}`}>
        {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
      </ActionIcon>
    </Tooltip>
  );
}

export function Id({ of }: { of: string }) {
  return (
    <span className="id">
      <code>{of}</code>
      <Copy text={of} what="the id" />
    </span>
  );
}

/** A secret shown once; no Escape closes its dialog. When copying fails, the text is selected for the keyboard. */
export function SecretText({ text, what }: { text: string; what: string }) {
  useKeptDialog();
  const { copied, copy } = useCopy();
  const shown = useRef<HTMLElement>(null);
  const select = () => {
    if (shown.current !== null) document.getSelection()?.selectAllChildren(shown.current);
  };
  return (
    <div className="secret">
      <code ref={shown}>{text}</code>
      <Button
        size="compact-sm"
        variant="light"
        leftSection={copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
        onClick={() => copy(text, select)}
        aria-label={copied ? 'Copied' : `Copy ${what}`}
      >
        {copied ? 'Copied' : 'Copy'}
      </Button>
    </div>
  );
}
