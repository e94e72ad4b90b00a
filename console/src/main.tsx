/** Starts the console: session, router and theme. */
import './shell/styles.ts';
import { QueryClientProvider } from '@tanstack/react-query';
import { setNonce } from 'get-nonce';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { queries } from './api/read.ts';
import { Notices } from './parts/notices.tsx';
import { askBeforeLeaving } from './parts/unsaved.ts';
import { Gate } from './shell/gate.tsx';
import { Themed } from './shell/themed.tsx';

// Styles that libraries inject at run time need the page's nonce; the browser blocks them without it.
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
setNonce(nonce);

createRoot(document.getElementById('root') as HTMLElement).render(
  <Themed nonce={nonce}>
    <QueryClientProvider client={queries}>
      <Notices />
      <Router base="/console" aroundNav={askBeforeLeaving}>
        <Gate />
      </Router>
    </QueryClientProvider>
  </Themed>,
);
