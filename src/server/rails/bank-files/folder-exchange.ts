import { mkdir, readdir, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../core/clock.ts';
import { codeOf } from '../../../core/error.ts';
import { syncFolder, writeDurably } from '../../platform/durable-file.ts';
import { type FileExchange, UnreadableFile } from '../file-exchange.ts';
import { mostAnswerBytes } from './answers/answer-content.ts';

/** Milliseconds without a change after which an answer counts as complete. */
const quietMs = 10_000;

/**
 * An exchange by folders that a bank's own program watches. `outbox` has our files, `inbox` the bank's answers, and
 * `done` the answers that were read. A file gets its name in the outbox only when it is complete on the disk. After a
 * crash, the server may write a file again that the bank's program has already taken. The bank then recognizes the
 * file's message number.
 */
export function createFolderExchange(folder: string, clock: Clock): FileExchange {
  const outbox = join(folder, 'outbox');
  const inbox = join(folder, 'inbox');
  const done = join(folder, 'done');
  return {
    put: async (name, content) => {
      if ((await mkdir(outbox, { recursive: true })) !== undefined) await syncFolder(folder);
      const path = join(outbox, safeName(name));
      if (!(await exists(path))) {
        const unfinished = join(outbox, `.${safeName(name)}.part`);
        await writeDurably(unfinished, content);
        await rename(unfinished, path);
      }
      await syncFolder(outbox);
    },
    list: async limit => {
      await mkdir(inbox, { recursive: true });
      const entries = await readdir(inbox, { withFileTypes: true });
      // Unfinished files have names that begin with a dot or end with `.part` or `.tmp`.
      const finished = entries.filter(entry => entry.isFile() && !/^\.|\.(part|tmp)$/i.test(entry.name));
      // Some banks write directly under the final name, so the name does not show that an answer is complete.
      const names: string[] = [];
      for (const name of finished.map(entry => entry.name).toSorted()) {
        if (names.length < limit && (await isQuiet(join(inbox, name), clock))) names.push(name);
      }
      return names;
    },
    read: name => readBounded(join(inbox, safeName(name))),
    archive: async name => {
      await mkdir(done, { recursive: true });
      await moveUnlessGone(join(inbox, safeName(name)), await freeName(done, safeName(name)));
    },
  };
}

/** Reads a file. Another server may have moved it, which is no fault of the file. */
async function readBounded(path: string): Promise<Buffer> {
  try {
    if ((await stat(path)).size > mostAnswerBytes) throw new UnreadableFile('it is too large');
    return await readFile(path);
  } catch (error) {
    if (error instanceof UnreadableFile || codeOf(error) === 'ENOENT') throw error;
    throw new UnreadableFile(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function safeName(name: string): string {
  if (!/^[^/\\\0]+$/.test(name) || name === '.' || name === '..') throw new Error(`not a file name: ${name}`);
  return name;
}

async function isQuiet(path: string, clock: Clock): Promise<boolean> {
  return await stat(path).then(
    ({ mtimeMs }) => clock.now().getTime() - mtimeMs >= quietMs,
    () => false,
  );
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}

/** A free name in the folder. A bank may use a file name again, and the earlier answer must not be overwritten. */
async function freeName(folder: string, name: string): Promise<string> {
  let path = join(folder, name);
  for (let count = 2; await exists(path); count++) path = join(folder, `${name}.${count}`);
  return path;
}

async function moveUnlessGone(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
