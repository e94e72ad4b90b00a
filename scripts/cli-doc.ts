/**
 * Prints docs/cli.md from the commands' own help. A test holds the file to it:
 * `npm exec -- node scripts/cli-doc.ts > docs/cli.md`
 */
import type { Command } from 'commander';
import { buildProgram } from '../src/cli/program.ts';

const HEAD = `# The command

<!-- Written by scripts/cli-doc.ts from the help of the commands in src/cli; edit those. -->

\`postern\` comes with the package: \`npx postern\` where it is installed, and in a checkout. It runs on the Node.js that is
installed with it; the one of the machine may be older, from 20 on.

- The commands that speak to a service find it by \`POSTERN_URL\`. The key comes from \`POSTERN_KEY\`, from the file that
  \`POSTERN_KEY_FILE\` names, or from a question on the terminal. It is never an argument, which others could see.
- \`--env-file\` (or \`POSTERN_ENV_FILE\`) reads variables from a file such as the one that \`postern init\` writes.
- Data goes to standard output, everything else to standard error, so that the output can be piped. \`--json\` answers in
  JSON: one document, or a line each for what has no end.
- There is colour on a terminal only, and none when \`NO_COLOR\` is set. What takes more than a second shows its rate and
  the time that is left.
- When the service is away or busy, what can be repeated safely is repeated a few times.

| exit status | |
|---|---|
| 0 | done; for \`check\`: allowed |
| 1 | refused by the service, or failed; a case failed, an item was not imported, there is a warning or a difference asked for |
| 2 | the command line, a file or a setting is not as it should be; nothing was done |
| 3 | \`check\`: denied |
| 130 | Ctrl-C |

Ctrl-C ends at the next safe point: an import leaves a file beside its input that says how far it came, and
\`--resume\` goes on from there; a webhook made by \`webhooks listen\` is deleted.
`;

export function cliDoc(): string {
  const texts: string[] = [];
  const program = buildProgram({
    terminal: {
      out: async (text) => void texts.push(text),
      err: (text) => void texts.push(text),
      colour: false,
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
