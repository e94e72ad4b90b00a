/** The command `postern`. Without arguments it serves. */
import { enableCompileCache } from 'node:module';

// Backups, archives, exports and keys are readable by their own user only.
process.umask(0o077);
enableCompileCache();
const { run } = await import('./cli/program.ts');
const { processTerminal } = await import('./cli/terminal.ts');

const args = process.argv.slice(2);
process.exitCode = await run(args.length === 0 ? ['serve'] : args, processTerminal(), () => import('./main.ts'));
