/** Walks the table of caches on one node, which is asked at once after each edit. */
import { after } from 'node:test';
import { startTestService, testClock } from '../kit/service.ts';
import { walkTable } from './caches.ts';

const clock = testClock();
const postern = await startTestService({ clock, env: { POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true' } });
after(() => postern[Symbol.asyncDispose]());

walkTable({ nodes: [postern], key: postern.key, clock });
