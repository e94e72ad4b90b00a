/** The navigation on a phone, as a drawer. */
import '@mantine/core/styles/Drawer.css';
import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { useReturnedFocus } from '../parts/returned-focus.ts';

export default function Drawn({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  useReturnedFocus();
  return (
    <Drawer opened onClose={onClose} size={280} title="Postern" closeButtonProps={{ 'aria-label': 'Close' }}>
      {children}
    </Drawer>
  );
}
