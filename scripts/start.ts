// `npm start` shows the demo; `npm start -- run --config FILE`, or any other command, is passed on.
const main = new URL('../packages/cli/main.ts', import.meta.url);
const [node = '', , ...parameters] = process.argv;
process.argv = [node, main.pathname, ...(parameters.length === 0 ? ['demo'] : parameters)];
await import(main.href);
