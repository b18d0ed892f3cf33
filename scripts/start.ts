// `npm start` shows the demo; `npm start -- run --config FILE`, or any other command, is passed on.
const [node = '', script = '', ...parameters] = process.argv;
process.argv = [node, script, ...(parameters.length === 0 ? ['demo'] : parameters)];
await import('../packages/cli/main.ts');
