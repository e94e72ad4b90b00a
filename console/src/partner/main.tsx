/** Starts the page of partners. */
import './styles.ts';
import { QueryClientProvider } from '@tanstack/react-query';
import { setNonce } from 'get-nonce';
import { createRoot } from 'react-dom/client';
import { Notices } from '../parts/notices.tsx';
import { Themed } from '../shell/themed.tsx';
import { queries } from './api.ts';
import { Gate } from './gate.tsx';

// Styles that libraries inject at run time need the page's nonce; the browser blocks them without it.
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
setNonce(nonce);

createRoot(document.getElementById('root') as HTMLElement).render(
  <Themed nonce={nonce}>
    <QueryClientProvider client={queries}>
      <Notices />
      <Gate />
    </QueryClientProvider>
  </Themed>,
);
