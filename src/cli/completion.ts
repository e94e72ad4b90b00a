/** `postern completion`: writes a shell script that completes commands and options. */
import { Argument, type Command } from 'commander';
import { type CommandContext, does, examples } from './command.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

export function completionCommand(parent: Command, context: CommandContext): void {
  const command = parent
    .command('completion')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .description('Writes a script that completes commands and options.');
  examples(
    command,
    '$ postern completion bash > ~/.local/share/bash-completion/completions/postern',
    '$ postern completion zsh > "${fpath[1]}/_postern"',
    '$ postern completion fish > ~/.config/fish/completions/postern.fish',
  );
  does(command, context, async (_options, shell) => {
    await context.terminal.out(SCRIPTS[shell as Shell](getPositions(parent)));
  });
}

/** Words that may follow `postern` and a path of commands. */
interface Position {
  /** Such as `content import`; empty for `postern` itself. */
  path: string;
  words: { word: string; about: string }[];
}

function getPositions(program: Command): Position[] {
  const common = getOptions(program);
  const walk = (command: Command, path: string): Position[] => {
    const words = [
      ...command.commands.map((one) => ({
        word: one.name(),
        about: firstSentence(one.summary() || one.description()),
      })),
      ...command.registeredArguments.flatMap(({ argChoices }) =>
        (argChoices ?? []).map((word) => ({ word, about: '' })),
      ),
      ...(command === program ? common : [...getOptions(command), ...common]),
    ];
    const inner = command.commands.flatMap((one) => walk(one, `${path} ${one.name()}`.trim()));
    return [{ path, words }, ...inner];
  };
  return walk(program, '');
}

const getOptions = (command: Command): Position['words'] =>
  command
    .createHelp()
    .visibleOptions(command)
    .map(({ long, description }) => ({ word: long ?? '', about: firstSentence(description) }));

const firstSentence = (text: string): string => (text.split(/[.;:](?:\s|$)/)[0] ?? '').replaceAll("'", '’');

const SCRIPTS: Record<Shell, (positions: Position[]) => string> = {
  bash: (positions) => `# Completion of postern for bash. Written by postern completion bash
_postern() {
  local cur=\${COMP_WORDS[COMP_CWORD]} path='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
${groups(positions)
  .map((path) => `      ' ${path}'|'${path}') path='${path}' ;;`)
  .join('\n')}
    esac
  done
  local words=''
  case "$path" in
${positions.map(({ path, words }) => `    '${path}') words='${words.map(({ word }) => word).join(' ')}' ;;`).join('\n')}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
  if [[ \${#COMPREPLY[@]} -eq 0 ]]; then mapfile -t COMPREPLY < <(compgen -f -- "$cur"); fi
}
complete -o filenames -F _postern postern
`,
  zsh: (positions) => `#compdef postern
# Completion of postern for zsh. Written by postern completion zsh
_postern() {
  local typed='' word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$typed $word" in
${groups(positions)
  .map((path) => `      ' ${path}'|'${path}') typed='${path}' ;;`)
  .join('\n')}
    esac
  done
  local -a found
  case "$typed" in
${positions.map(({ path, words }) => `    '${path}') found=(${words.map(({ word, about }) => `'${word.replaceAll(':', '\\:')}:${about}'`).join(' ')}) ;;`).join('\n')}
  esac
  _describe 'postern' found || _files
}
if [ "$funcstack[1]" = _postern ]; then _postern "$@"; else compdef _postern postern; fi
`,
  fish: (positions) => `# Completion of postern for fish. Written by postern completion fish
function __postern_typed
    set -l typed ''
    for word in (commandline -opc)[2..-1]
        switch (string trim "$typed $word")
${groups(positions)
  .map((path) => `            case '${path}'\n                set typed '${path}'`)
  .join('\n')}
        end
    end
    test "$typed" = "$argv[1]"
end
${positions
  .flatMap(({ path, words }) =>
    words.map(({ word, about }) => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`;
      return `complete -c postern -n "__postern_typed '${path}'" ${what}${about === '' ? '' : ` -d '${about}'`}`;
    }),
  )
  .join('\n')}
`,
};

const groups = (positions: readonly Position[]): string[] =>
  positions.map(({ path }) => path).filter((path) => path !== '');
