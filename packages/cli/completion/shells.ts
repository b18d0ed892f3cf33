import type { CommandTable, ValueOption, Word } from './command-table.ts';

/** The shells for which there is a completion. */
export const SHELLS = { bash, zsh, fish } as const satisfies Readonly<Record<string, (table: CommandTable) => string>>;

export function isShell(name: string): name is keyof typeof SHELLS {
  return Object.hasOwn(SHELLS, name);
}

/** In each of them, `at` is the command that the words before the cursor name. */
function bash({ entries, options }: CommandTable): string {
  const cases = entries.map(({ command, words }) => `    ${quoted(command)}) found=${quoted(namesOf(words))} ;;`);
  return `# fairlead completion bash
_fairlead() {
  local current="\${COMP_WORDS[COMP_CWORD]}" at='' word found=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${at:+$at }$word" in
      ${commandPattern(entries)}) at="\${at:+$at }$word" ;;
    esac
  done
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
${valueCases(options, {
  file: 'COMPREPLY=($(compgen -f -- "$current")); return',
  other: 'COMPREPLY=(); return',
  words: (words) => `COMPREPLY=($(compgen -W ${quoted(words)} -- "$current")); return`,
})}
  esac
  case "$at" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$found" -- "$current"))
}
complete -F _fairlead fairlead`;
}

function zsh({ entries, options }: CommandTable): string {
  const described = ({ name, summary }: Word) => quoted(`${name.replaceAll(':', '\\:')}:${summary}`);
  const cases = entries.map(
    ({ command, words }) => `    ${quoted(command)}) found=(${words.map(described).join(' ')}) ;;`,
  );
  return `#compdef fairlead
# fairlead completion zsh
_fairlead() {
  local at='' word
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${at:+$at }$word" in
      ${commandPattern(entries)}) at="\${at:+$at }$word" ;;
    esac
  done
  case "\${words[CURRENT-1]}" in
${valueCases(options, {
  file: '_files; return',
  other: 'return',
  words: (words) => `compadd -- ${words}; return`,
})}
  esac
  case "$at" in
${cases.join('\n')}
  esac
  _describe fairlead found
}
if [[ "\${funcstack[1]}" == _fairlead ]]; then _fairlead "$@"; else compdef _fairlead fairlead; fi`;
}

function fish({ entries, options }: CommandTable): string {
  const known = entries.flatMap(({ command }) => (command === '' ? [] : [quoted(command)]));
  const valueOfFlag = new Map(options.flatMap(({ flags, value }) => flags.map((flag) => [flag, value])));
  const lines = entries.flatMap(({ command, words }) => {
    const when = `-n ${quoted(`__fairlead_at "${command}"`)}`;
    return words.map(({ name, short, summary }) => {
      const letter = short === undefined ? '' : `-s ${short.slice(1)} `;
      const option = `${letter}-l ${name.slice(2)}${fishValue(valueOfFlag.get(name))}`;
      const what = name.startsWith('--') ? option : `-a ${name}`;
      return `complete -c fairlead ${when} ${what} -d ${quoted(summary)}`;
    });
  });
  return `# fairlead completion fish
function __fairlead_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    set -l longer (string trim -- "$at $word")
    if contains -- "$longer" ${known.join(' ')}
      set at $longer
    end
  end
  test "$at" = "$argv[1]"
end
complete -c fairlead -f
${lines.join('\n')}`;
}

function fishValue(value: ValueOption['value'] | undefined): string {
  if (value === undefined) return '';
  if (value === 'file') return ' -r -F';
  return value === 'other' ? ' -x' : ` -x -a ${quoted(value.join(' '))}`;
}

function commandPattern(entries: CommandTable['entries']): string {
  return entries.flatMap(({ command }) => (command === '' ? [] : [quoted(command)])).join('|');
}

function valueCases(
  options: readonly ValueOption[],
  then: { readonly file: string; readonly other: string; readonly words: (words: string) => string },
): string {
  return options
    .map(({ flags, value }) => {
      const done = value === 'file' || value === 'other' ? then[value] : then.words(value.join(' '));
      return `    ${flags.join('|')}) ${done} ;;`;
    })
    .join('\n');
}

function namesOf(words: readonly Word[]): string {
  return words.map(({ name }) => name).join(' ');
}

/** For a shell, whatever is in it; fish and the others agree on this but for the quote itself. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}
