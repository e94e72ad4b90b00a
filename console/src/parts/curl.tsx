/** The button that copies the page's API requests as curl commands. */
import { ActionIcon, Tooltip } from '@mantine/core';
import { Suspense, useState } from 'react';
import { lazily } from '../shell/lazily.tsx';
import { useCopy } from './clipboard.ts';
import { IconCheck, IconTerminal2 } from './icons.ts';
import { useMenuButton } from './returned-focus.ts';

/** The first view is shown without it. */
const CurlMenu = lazily(() => import('./curl-menu.tsx'));

export function CopyAsCurl() {
  const { copied, copy } = useCopy();
  const [opened, setOpened] = useState<boolean>();
  const ref = useMenuButton<HTMLButtonElement>(opened);
  const label = copied ? 'Copied' : 'Copy as curl';
  const button = (
    <ActionIcon
      ref={ref}
      variant="subtle"
      color="gray"
      size={36}
      aria-label={label}
      aria-haspopup="menu"
      onClick={() => setOpened(opened !== true)}
    >
      {copied ? <IconCheck size={18} /> : <IconTerminal2 size={18} />}
    </ActionIcon>
  );
  if (opened === undefined) return <Tooltip label={label}>{button}</Tooltip>;
  return (
    <Suspense fallback={button}>
      <CurlMenu opened={opened} onChange={setOpened} onCopy={copy}>
        {button}
      </CurlMenu>
    </Suspense>
  );
}
