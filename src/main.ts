/** `npm start`: settings from the environment, the service until SIGTERM or SIGINT. */
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { invocation } from './lib/invocation.ts';

// Files are readable by their own user only, also in a data folder that another user created.
process.umask(0o077);
enableCompileCache();
const compileCache = getCompileCacheDir();
// Threads and the next process find the compile cache here; without it each compiles everything again. Node.js adds the
// folder of its version.
if (compileCache !== undefined) process.env.NODE_COMPILE_CACHE ??= dirname(compileCache);
const { ConfigError, readConfig, readMemoryMiB, unknownSettings } = await import('./service/config.ts');
type Config = import('./service/config.ts').Config;
const { planBudget, toNodeFlags, GROWTH_PERCENT } = await import('./lib/memory.ts');
const { limitOldGenerations, requireFlags } = await import('./lib/node-flags.ts');
limitHeap();
const { openLog } = await import('./service/log.ts');
const { StartRefused } = await import('./db/start-refused.ts');
const { holdRecords } = await import('./service/records.ts');
const { endColumns } = await import('./decisions/history/columns/columns.ts');

/** Requests in flight are cut off before that; what is left is what cannot end. */
const STOP_WITHIN_MS = 13_000;

/** A thread that cannot be stopped must not block the exit. */
const END_COLUMNS_WITHIN_MS = 3_000;

const end = async (status = 1): Promise<never> => {
  await endColumns(END_COLUMNS_WITHIN_MS);
  process.exit(status);
};

const stop = (message: string, status = 1): Promise<never> => {
  process.stderr.write(`${message}\n`);
  return end(status);
};

/** The exit status that all commands share: see `EXIT`. */
const INVALID_SETTINGS = 2;

let config: Config | undefined;
try {
  config = readConfig(process.env);
  const logger = openLog(config);
  for (const warning of unknownSettings(process.env)) logger.warn(warning);
  const onFatal = (cause: Error): void => {
    logger.fatal({ err: cause }, 'the storage has failed; ending, so that the service is started afresh');
    void end();
  };
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'a fault of our own; ending, so that the service is started afresh');
    void end();
  });
  // Before the start, so that a signal during it also stops cleanly.
  const { promise: asked, resolve: ask } = Promise.withResolvers<string>();
  process.on('SIGTERM', ask);
  process.on('SIGINT', ask);

  // The threads of the store start while this one loads the rest.
  const { storage } = planBudget(config.memoryMiB);
  const held = holdRecords(config, undefined, storage);
  const { startService } = await import('./service/app.ts');
  const { isConsoleBuilt } = await import('./api/http/console-files.ts');
  const { openTracing, tracingFaults } = await import('./service/tracing.ts');

  for (const fault of tracingFaults(process.env)) logger.warn(fault);
  const tracing = await openTracing(process.env);
  const service = await startService({ config, logger, held, onFatal });
  // Not before: while modules are loaded, heaps only grow, and collecting them takes a tenth of the start.
  limitOldGenerations(GROWTH_PERCENT);
  logger.info({ address: service.address }, 'ready');
  if (service.firstKey !== undefined) {
    const chosen = config.bootstrapKey !== null;
    // Those who chose the key keep secrets out of the log.
    const hasConsole = isConsoleBuilt();
    const link = hasConsole && !chosen ? await service.makeLink() : undefined;
    await print(welcome(service.address, service.firstKey, { chosen, hasConsole, link }));
    await service.firstKeyShown();
  }

  logger.info({ signal: await asked }, 'stopping');
  const within = STOP_WITHIN_MS + config.stopDelaySeconds * 1000;
  setTimeout(() => void stop('Not everything could be ended within 13 s; stopped regardless.'), within).unref();
  await service.close();
  await tracing?.close();
  process.exit(0);
} catch (error) {
  if (error instanceof ConfigError) {
    const warnings = unknownSettings(process.env).map((warning) => `  - ${warning}`);
    await stop([error.message, ...warnings].join('\n'), INVALID_SETTINGS);
  }
  if (error instanceof StartRefused) await stop(error.message);
  const why = config === undefined ? undefined : explainRefusal(error as NodeJS.ErrnoException, config);
  if (why !== undefined) await stop(why);
  throw error;
}

/** Limits the heap of this thread, which takes a process that starts with the limits. */
function limitHeap(): void {
  let memoryMiB: number;
  try {
    memoryMiB = readMemoryMiB(process.env);
  } catch {
    // Reported below, with the faults of other settings.
    return;
  }
  requireFlags(toNodeFlags(planBudget(memoryMiB).main), import.meta.filename);
}

/** Explains a refusal of the operating system and names the setting; undefined for other errors. */
function explainRefusal(
  { code = '', syscall }: NodeJS.ErrnoException,
  { host, port, dataDir }: Config,
): string | undefined {
  if (code === 'EADDRINUSE') {
    return `Port ${port} is taken by another process. Stop it, or set POSTERN_PORT to another one (0 takes a free one).`;
  }
  if (syscall === 'listen' && code === 'EACCES') {
    return `Port ${port} may not be opened by this user. Set POSTERN_PORT to one above 1023.`;
  }
  if (syscall === 'listen' || syscall === 'getaddrinfo') {
    return `POSTERN_HOST is ${host}, which is no address of this machine (${code}).`;
  }
  if (syscall === 'mkdir') return `POSTERN_DATA_DIR is ${dataDir}, which cannot be used as a folder (${code}).`;
  return undefined;
}

interface Shown {
  /** The operator chose the key. */
  chosen: boolean;
  hasConsole: boolean;
  /** Undefined without a console, and where the key was chosen. */
  link: string | undefined;
}

function welcome(address: string, key: string, { chosen, hasConsole, link }: Shown): string {
  const shown = chosen ? chosenKey(process.env.POSTERN_BOOTSTRAP_KEY_FILE) : key;
  const first = chosen
    ? 'The first key is the one that was chosen in the settings.'
    : `The first key, shown this once; it may do everything:\n\n  ${key}`;
  const pages = hasConsole
    ? describeConsole(address, link)
    : 'The console was not built here: run npm ci --omit=dev, then npm run console.';
  return `Postern answers on ${address}

${first}

Try it:

  curl -s ${address}/v1/content -H "Authorization: Bearer ${shown}" -H 'Content-Type: application/json' \\
    -d '{"externalId":"hello","title":"Hello","type":"article","source":"https://example.com/hello"}'
  curl -s ${address}/v1/access/check -H "Authorization: Bearer ${shown}" -H 'Content-Type: application/json' \\
    -d '{"contentId":"hello","requesterId":"gptbot","explain":true}'

${pages}
The API: ${address}/docs
`;
}

function describeConsole(address: string, link: string | undefined): string {
  const another = `${invocation()} console link`;
  const signIn =
    link === undefined
      ? `A link that signs you in: ${another}`
      : `Sign in to it with this link, once, within 15 minutes:\n\n  ${link}\n\nAnother link: ${another}`;
  return `The console, in a browser: ${address}\n${signIn}`;
}

/** Returns the shell expression that yields the key. */
function chosenKey(file: string | undefined): string {
  return file === undefined ? '$POSTERN_BOOTSTRAP_KEY' : `$(cat '${file.replaceAll("'", String.raw`'\''`)}')`;
}

/** Resolves when the text is written. */
function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error == null ? resolve() : reject(error)));
  });
}
