import { plain } from '../render/palette.ts';
import type { Terminal } from '../terminal.ts';

/** A terminal that nobody sits at, and what was told on it. */
export function recordedTerminal(typed = 'fairlead') {
  const printed: string[] = [];
  const complained: string[] = [];
  const terminal: Terminal = {
    print: (line) => void printed.push(line),
    complain: (line) => void complained.push(line),
    isInteractive: false,
    typed,
    palette: plain,
  };
  return { terminal, told: () => ({ printed: printed.join('\n'), complained: complained.join('\n') }) };
}
