import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The licences of the packages that these files belong to: most of them ask to travel with every copy. */
export async function thirdPartyNotices(root: string, files: readonly string[]): Promise<string> {
  const folders = new Set(files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []));
  const notices = await Promise.all([...folders].sort().map((folder) => noticeOf(join(root, folder))));
  return notices.join('\n\n');
}

async function noticeOf(folder: string): Promise<string> {
  const { name, version, license }: Record<string, unknown> = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  );
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? '' : `\n\n${(await readFile(join(folder, file), 'utf8')).trim()}`;
  return `${String(name)} ${String(version)} (${String(license)})${text}\n`;
}
