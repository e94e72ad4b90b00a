/** `npm start`: settings from the environment, the service until SIGTERM or SIGINT. */
import { enableCompileCache, getCompileCacheDir } from 'node:module';

enableCompileCache();
const compileCache = getCompileCacheDir();
// Threads look for it here: without it each compiles everything again. None where no folder for it can be made.
if (compileCache !== undefined) process.env.NODE_COMPILE_CACHE ??= compileCache;
const { pino } = await import('pino');
const { ConfigError, readConfig, unknownSettings } = await import('./config.ts');
type Config = import('./config.ts').Config;
const { startService } = await import('./app.ts');
const { StartRefused } = await import('./errors.ts');

/** Longer than this nobody waits for a request that is under way. */
const STOP_WITHIN_MS = 10_000;

const stop = (message: string): never => {
  process.stderr.write(`${message}\n`);
  process.exit(1);
};

let config: Config | undefined;
try {
  config = readConfig(process.env);
  const logger = pino({ level: config.logLevel }, pino.destination(2));
  for (const warning of unknownSettings(process.env)) logger.warn(warning);
  const onFatal = (cause: Error): void => {
    logger.fatal({ err: cause }, 'the storage has failed; ending, so that the service is started afresh');
    process.exit(1);
  };
  // Before the start, so that a signal in the middle of it ends in a clean stop as well.
  const { promise: asked, resolve: ask } = Promise.withResolvers<string>();
  process.on('SIGTERM', ask);
  process.on('SIGINT', ask);

  const service = await startService({ config, logger, onFatal });
  logger.info({ address: service.address }, 'ready');
  if (service.firstKey !== undefined) {
    await print(welcome(service.address, service.firstKey, config.bootstrapKey !== null));
    await service.firstKeyShown();
  }

  logger.info({ signal: await asked }, 'stopping');
  const within = STOP_WITHIN_MS + config.stopDelaySeconds * 1000;
  setTimeout(() => stop('Requests were still under way after 10 s; stopped without them.'), within).unref();
  await service.close();
  process.exit(0);
} catch (error) {
  if (error instanceof ConfigError) {
    stop([error.message, ...unknownSettings(process.env).map((warning) => `  - ${warning}`)].join('\n'));
  }
  if (error instanceof StartRefused) stop(error.message);
  const why = config === undefined ? undefined : refusalOf(error as NodeJS.ErrnoException, config);
  if (why !== undefined) stop(why);
  throw error;
}

/** What the operating system did not allow, as a sentence that names the setting; undefined for anything else. */
function refusalOf({ code = '', syscall }: NodeJS.ErrnoException, { host, port, dataDir }: Config): string | undefined {
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

function welcome(address: string, key: string, chosen: boolean): string {
  const shown = chosen ? '$POSTERN_BOOTSTRAP_KEY' : key;
  const first = chosen
    ? 'The first key is the one in POSTERN_BOOTSTRAP_KEY.'
    : `The first key, shown this once; it may do everything:\n\n  ${key}`;
  return `Postern answers on ${address}

${first}

Try it:

  curl -s ${address}/v1/content -H "Authorization: Bearer ${shown}" -H 'Content-Type: application/json' \\
    -d '{"externalId":"hello","title":"Hello","type":"article","source":"https://example.com/hello"}'
  curl -s ${address}/v1/access/check -H "Authorization: Bearer ${shown}" -H 'Content-Type: application/json' \\
    -d '{"contentId":"hello","requesterId":"gptbot","explain":true}'

The console, in a browser: ${address}
The API: ${address}/docs
`;
}

/** Settles when the text is out. */
function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error == null ? resolve() : reject(error)));
  });
}
