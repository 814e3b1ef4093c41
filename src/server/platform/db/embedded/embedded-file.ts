import { open } from 'node:fs/promises';

/** Writes a file that only its owner may read, and returns when the disk has it. */
export async function writeDurably(path: string, content: string, flag: 'w' | 'a' = 'w'): Promise<void> {
  const file = await open(path, flag, 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes the names in a folder (creations, renames) last through a power cut. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder, and keeps its names in a journal of its own.
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}
