/** The help of all commands as one page, which the package has as docs/cli.md. */
import type { Command } from 'commander';
import { buildProgram } from '../src/cli/program.ts';

const HEAD = `# The commands

What all of them share is in [the command](command.md).
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
