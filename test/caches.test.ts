/** Walks the table of caches on one node, which is asked at once after each edit. */
import { after } from 'node:test';
import { newDirectoryFile } from '../kit/crawler-directory.ts';
import { startTestService, testClock } from '../kit/service.ts';
import { walkTable } from './caches.ts';

const clock = testClock();
const { file, [Symbol.dispose]: remove } = newDirectoryFile();
const env = {
  POSTERN_PUBLIC_URL: 'https://access.example',
  POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true',
  POSTERN_CRAWLER_DIRECTORY: file,
};
const postern = await startTestService({ clock, env });
after(remove);
after(() => postern[Symbol.asyncDispose]());

walkTable({ nodes: [postern], key: postern.key, clock, directory: file });
