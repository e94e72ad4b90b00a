/** Starts the page of partners. */
import './styles.ts';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { setNonce } from 'get-nonce';
import { createRoot } from 'react-dom/client';
import { Notices } from '../parts/notices.tsx';
import { theme } from '../shell/theme.ts';
import { queries } from './api.ts';
import { Gate } from './gate.tsx';

// Styles that libraries inject at run time need the page's nonce; the browser blocks them without it.
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
setNonce(nonce);

createRoot(document.getElementById('root') as HTMLElement).render(
  <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
    <QueryClientProvider client={queries}>
      <Notices />
      <Gate />
    </QueryClientProvider>
  </MantineProvider>,
);
