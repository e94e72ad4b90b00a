/** Shows the usage reports as the command shows them, each under the line that shows it again. */
import { run } from '../src/cli/program.ts';
import { processTerminal } from '../src/cli/terminal.ts';
import { Refusal } from './data.ts';
import { cyan, say } from './terminal.ts';

const DAY = 86_400_000;

export async function showReport(url: string, key: string, signal: AbortSignal): Promise<void> {
  // Reading the signal of the process's terminal would take Ctrl-C from the demo.
  const { out, err, toFile, color, interactive, moving, width, now } = processTerminal();
  const env = { POSTERN_URL: url, POSTERN_KEY: key };
  const yesterday = new Date(Date.now() - DAY).toISOString().slice(0, 13);
  for (const line of [
    'usage --period 30d',
    `usage --group-by hour --from ${yesterday}:00Z`,
    'usage --type image --limit 5',
    'usage --type dataset --limit 5',
  ]) {
    say();
    say(cyan(`$ postern ${line}`));
    const terminal = { out, err, toFile, color, interactive, moving, width, now, env, signal };
    const status = await run(line.split(' '), terminal, () => Promise.reject(new Error('not served here')));
    if (status !== 0 && !signal.aborted) throw new Refusal('The report could not be shown.');
  }
}
