import { nftRefusal } from '../apply/failed-frontends.ts';
import type { Nft } from '../apply/node.ts';
import { runCommand } from './run-command.ts';

/** What nft prints where something is not there, or is there in another form. */
const DIFFERS = /: Error: .*(?:No such file or directory|File exists|[Ii]nterval overlaps)/;

/** The kernel's nftables, by the program `nft`. What it reads comes by standard input: no shell, no file. */
export const systemNft: Nft = {
  async run(script) {
    const { exitCode, errors } = await runCommand('nft', ['-f', '-'], script);
    if (exitCode !== 0) throw nftRefusal(script, errors);
  },

  async list(command) {
    // With -f, -j would mean that the input is JSON, too.
    const { exitCode, output, errors } = await runCommand('nft', ['-j', ...command.split(' ')]);
    if (exitCode !== 0 && errors.startsWith('Error: No such file or directory')) return undefined;
    if (exitCode !== 0) throw nftRefusal('', errors);
    const listed: unknown = JSON.parse(output);
    if (typeof listed !== 'object' || listed === null || !('nftables' in listed)) return undefined;
    return Array.isArray(listed.nftables) ? listed.nftables : undefined;
  },

  async accepts(script) {
    const { exitCode, errors } = await runCommand('nft', ['--check', '-f', '-'], script);
    if (exitCode === 0) return true;
    if (DIFFERS.test(errors)) return false;
    throw nftRefusal(script, errors);
  },
};
