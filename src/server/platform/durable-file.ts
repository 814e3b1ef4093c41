import { open } from 'node:fs/promises';

/** Writes a file. A new file is readable only by its owner. Resolves when the file is on the disk. */
export async function writeDurably(path: string, content: string, flag: 'w' | 'a' = 'w'): Promise<void> {
  const file = await open(path, flag, 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes created and renamed files of a folder survive a power failure. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder. Its file system keeps a journal of file names.
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}
