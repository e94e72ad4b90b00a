/** The theme around a whole page. On paper it is light. */
import { MantineProvider } from '@mantine/core';
import { type ReactNode, useSyncExternalStore } from 'react';
import { theme } from './theme.ts';

const paper = matchMedia('print');

function subscribe(onChange: () => void): () => void {
  paper.addEventListener('change', onChange);
  return () => paper.removeEventListener('change', onChange);
}

export function Themed({ nonce, children }: { nonce: string; children: ReactNode }) {
  const isPrinting = useSyncExternalStore(subscribe, () => paper.matches);
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      {...(isPrinting ? { forceColorScheme: 'light' } : {})}
      getStyleNonce={() => nonce}
    >
      {children}
    </MantineProvider>
  );
}
