import type { EmbeddedWorld } from './world.ts';

/** What a person can type in another terminal, as it is. `typed` is how this program was called. */
export function demoCommands(
  typed: string,
  { kubeconfigPath, configurationPath }: Pick<EmbeddedWorld, 'kubeconfigPath' | 'configurationPath'>,
  service: string | undefined,
): readonly string[] {
  const file = `--config ${configurationPath}`;
  return [
    `kubectl --kubeconfig ${kubeconfigPath} get services -A`,
    ...(service === undefined ? [] : [`${typed} why service ${service} ${file}`]),
    `${typed} plan ${file}`,
    `${typed} status ${file}`,
  ];
}

/** A command in lines that a shell takes as one. */
export function continued(command: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of command.split(' ')) {
    // Room for the space before it, and for the end of the line.
    if (line !== '' && line.length + word.length + 3 > columns) {
      lines.push(`${line} \\`);
      line = `   ${word}`;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
