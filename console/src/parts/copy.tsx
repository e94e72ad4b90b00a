/** Text to copy: ids, and secrets that are shown once. */
import { ActionIcon, CopyButton, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';

export function Copy({ text, what }: { text: string; what: string }) {
  return (
    <CopyButton value={text} timeout={1500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : `Copy ${what}`}>
          <ActionIcon variant="subtle" color="gray" size="sm" onClick={copy} aria-label={`Copy ${what}`}>
            {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
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

export function SecretText({ text, what }: { text: string; what: string }) {
  return (
    <div className="secret">
      <code>{text}</code>
      <Copy text={text} what={what} />
    </div>
  );
}
