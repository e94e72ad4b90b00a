/** The command `postern`. */
import { enableCompileCache } from 'node:module';

// Backups, archives, exports and keys are readable by their own user only.
process.umask(0o077);
enableCompileCache();
const { run } = await import('./cli/program.ts');
const { processTerminal } = await import('./cli/terminal.ts');

process.exitCode = await run(process.argv.slice(2), processTerminal(), () => import('./main.ts'));
