import { expect, it } from 'vitest';
import { continued, demoCommands } from './commands.ts';

it('a command that is too long is broken as a shell takes it', () => {
  const [kubectl = '', why = ''] = demoCommands(
    'npm start -s --',
    { kubeconfigPath: '/tmp/demo/kubeconfig', configurationPath: '/tmp/fairlead-demo-123456/fairlead.yaml' },
    'azure-local-demo/game',
  );
  expect(continued(kubectl, 80)).toEqual([kubectl]);
  expect(continued(why, 60)).toEqual([
    'npm start -s -- why service azure-local-demo/game --config \\',
    '   /tmp/fairlead-demo-123456/fairlead.yaml',
  ]);
});

it('no line of a command that is broken is wider than the screen', () => {
  const command = 'npm start -s -- why service shop/web --config /tmp/fairlead-demo/fairlead.yaml';
  for (let columns = 45; columns < 80; columns += 1) {
    const lines = continued(command, columns);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
    expect(lines.join('\n').replaceAll(' \\\n   ', ' ')).toBe(command);
  }
});
