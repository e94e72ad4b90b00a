/** Starts the servers that Postern is measured against, under the same conditions: own process, same core, loopback. */
import { join } from 'node:path';
import { freePort } from '../../kit/port.ts';
import { launch, type Running } from '../process.ts';

export const FLOOR_HEADERS: Record<string, string> = { 'content-type': 'application/json' };

export interface BareOptions {
  core?: number | null;
  /** The length of Postern's answers. */
  answerBytes?: number;
  env?: Record<string, string>;
}

const bare =
  (file: string) =>
  async ({ core = null, answerBytes = 500, env = {} }: BareOptions = {}): Promise<Running> => {
    const port = await freePort();
    return launch({
      command: process.execPath,
      args: [join(import.meta.dirname, file)],
      env: { PORT: String(port), ANSWER_BYTES: String(answerBytes), ...env },
      port,
      readyPath: '/ready',
      core,
    });
  };

export const startBareFastify = bare('fastify.ts');
export const startBareHttp = bare('node-http.ts');
/** `file`: a new file for the rows. */
export const startDurable = ({ file, ...options }: BareOptions & { file: string }): Promise<Running> =>
  bare('durable.ts')({ ...options, env: { ROWS_FILE: file } });
