import { Argument, type Command } from 'commander';
import { action } from '../context.ts';

const examples = `
Examples:
  $ eval "$(pay-checkout completion bash)"     in ~/.bashrc
  $ eval "$(pay-checkout completion zsh)"      in ~/.zshrc`;

/** `completion bash|zsh`: a script for the shell that completes commands and options. */
export function addCompletion(program: Command): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh']))
    .description('Print a script that completes commands and options in a shell')
    .addHelpText('after', examples)
    .action(
      action(async ({ show }, _options, shell) => {
        const script = scriptOf(program);
        const text = shell === 'zsh' ? `autoload -U +X bashcompinit && bashcompinit\n${script}` : script;
        show({ shell, script: text }, text);
      }),
    );
}

function scriptOf(program: Command): string {
  const cases = casesOf(program, []).map(([path, words]) => `    " ${path}"*) choices="${words.join(' ')}" ;;`);
  return `_pay_checkout() {
  local choices=""
  case " \${COMP_WORDS[*]:1:COMP_CWORD-1} " in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$choices" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _pay_checkout pay-checkout pay-checkout-server`;
}

/** The words that may follow each command. Subcommands precede their command, because the first match counts. */
function casesOf(command: Command, path: readonly string[]): [string, string[]][] {
  const below = command.commands.flatMap(part => casesOf(part, [...path, part.name()]));
  const globals = path.length === 0 ? [] : ['--json', '--api-key', '--url', '--help'];
  const words = [
    ...command.commands.map(part => part.name()),
    ...command.options.map(option => option.long ?? option.short ?? ''),
    ...globals,
  ];
  return [...below, [path.map(name => `${name} `).join(''), words]];
}
