/**
 * Writes docs/cli.md from the help of the commands: `npm exec -- node scripts/cli-doc.ts > docs/cli.md`. A test
 * compares the file with the commands.
 */
import type { Command } from 'commander';
import { buildProgram } from '../src/cli/program.ts';

const HEAD = `# The command

<!-- Written by scripts/cli-doc.ts from the help of the commands in src/cli; edit those. -->

\`postern\` comes with the package: run \`npx postern\` where it is installed, or in a checkout. It runs on the Node.js
that is installed with it; the Node.js of the machine may be older, from version 20.

- Commands find the service at \`POSTERN_URL\`. The key comes from \`POSTERN_KEY\`, from the file that \`POSTERN_KEY_FILE\`
  names, or from a prompt. It is never an argument, which other users could see.
- \`--env-file\` (or \`POSTERN_ENV_FILE\`) reads variables from a file such as the one that \`postern init\` writes.
- Data goes to standard output and messages to standard error, so output can be piped. \`--json\` writes JSON: one
  document, or one line per record for endless output.
- Color needs a terminal, and is off when \`NO_COLOR\` is set. Work that takes more than a second shows its rate and the
  remaining time.
- Requests are retried a few times when the service is unreachable or busy. A retried write is done once.

| exit status | |
|---|---|
| 0 | success; for \`check\`: allowed |
| 1 | refused by the service, or failed: a case failed, an item was not imported, there is a warning or a difference |
| 2 | the command line, a file or a setting is invalid; nothing was done |
| 3 | \`check\`: denied |
| 130 | Ctrl-C |

Ctrl-C stops at the next safe point. An import records its progress in a file beside its input, and \`--resume\`
continues there. \`webhooks listen\` deletes the webhook that it made.
`;

/** The commands; all that they would show goes to `show`. */
export function programFor(show: (text: string) => void): Command {
  return buildProgram({
    terminal: {
      out: async (text) => show(text),
      err: show,
      toFile: false,
      color: false,
      interactive: false,
      moving: false,
      width: 100,
      env: {},
      now: () => 0,
      signal: new AbortController().signal,
    },
    serve: async () => undefined,
    ended: () => {},
  });
}

export function cliDoc(): string {
  const texts: string[] = [];
  const program = programFor((text) => void texts.push(text));
  const help = (command: Command): string => {
    texts.length = 0;
    command.outputHelp();
    const text = texts.join('');
    return (command === program ? text : text.replace(/\nGlobal Options:\n(?: .*\n)+/, '')).trimEnd();
  };
  const section = (command: Command, path: string): string[] => {
    const inner = command.commands.flatMap((one) => section(one, `${path} ${one.name()}`));
    if (command.commands.length > 0 && command !== program)
      return [`\n## ${path}\n\n${command.description()}\n`, ...inner];
    const depth = path.split(' ').length > 2 ? '###' : '##';
    return [`\n${depth} ${path}\n\n\`\`\`text\n${help(command)}\n\`\`\`\n`, ...inner];
  };
  return HEAD + section(program, 'postern').join('');
}

if (import.meta.main) process.stdout.write(cliDoc());
