/** The thread that renders the signals of a large site. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Table } from '../table/table.ts';
import { renderHere } from './render.ts';

parentPort?.postMessage(renderHere(workerData as Table));
