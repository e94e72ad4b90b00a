/** The thread that renders the signals of a large site. */
import { parentPort, workerData } from 'node:worker_threads';
import { renderHere } from './render.ts';
import type { Table } from './table.ts';

parentPort?.postMessage(renderHere(workerData as Table));
