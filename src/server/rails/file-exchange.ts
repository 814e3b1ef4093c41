import type { Due } from '../platform/db/lease.ts';

/** The contract of a file exchange with a bank. The outbox has our files, and the inbox has the bank's answers. */
export interface FileExchange {
  /** When a check of the inbox is due, for an exchange in the database. Other inboxes are checked every 30 seconds. */
  readonly due?: readonly Due[];
  /**
   * Passes a file to the exchange under its name. A repeated name with the same content is the same file. Rejects if
   * it is not certain that the exchange has the file. The caller then repeats the call.
   */
  put(name: string, content: string): Promise<void>;
  /** Names of at most `limit` files in the inbox. */
  list(limit: number): Promise<readonly string[]>;
  /** A file of the inbox: its bytes, or its text. Rejects with `UnreadableFile` for a file that will stay unreadable. */
  read(name: string): Promise<Uint8Array | string>;
  /** Moves a file out of the inbox. A repeated call does nothing. */
  archive(name: string): Promise<void>;
}

/** A file of the inbox that cannot be read, and that will not become readable by itself. */
export class UnreadableFile extends Error {}
