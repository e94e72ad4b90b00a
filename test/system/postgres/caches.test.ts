/** Walks the table of caches on two nodes: edits on the first, questions to both. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { newDirectoryFile } from '../../../kit/crawler-directory.ts';
import { testPostgres } from '../../../kit/postgres.ts';
import { startTestService, testClock } from '../../../kit/service.ts';
import { walkTable } from '../../caches.ts';

const clock = testClock();
const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const database = stack.use(await (await testPostgres()).newDatabase());
const { file } = stack.use(newDirectoryFile());
const env = {
  POSTERN_DATABASE_URL: database.url,
  POSTERN_PUBLIC_URL: 'https://access.example',
  POSTERN_WEBHOOK_ALLOW_PRIVATE: 'true',
  POSTERN_CRAWLER_DIRECTORY: file,
};

async function startNode() {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-node-'));
  stack.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  return stack.use(await startTestService({ clock, dataDir, env }));
}

const first = await startNode();
const nodes = [first, await startNode()];
walkTable({ nodes, key: first.key, clock, directory: file });
