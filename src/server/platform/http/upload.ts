import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PayError } from '../../../core/error.ts';

/** A large body that is read as it arrives. */
export interface Upload {
  /** The bytes of the body in pieces. Other requests run between them. Throws `body_too_large`. */
  read(): AsyncGenerator<Buffer>;
  /**
   * Reads the rest of a refused body. Otherwise a client that is still sending would lose the connection and the
   * response. Closes a body above twice the limit.
   */
  drain(): Promise<void>;
  /** SHA-256 of the bytes that were read. */
  digest(): Buffer;
}

/**
 * Bytes of a piece. Each turn of the event loop handles one piece, whose rows take about 1 ms. Turns must be short,
 * because another client's request needs several turns.
 */
const bytesATurn = 2_048;

/** Opens a body of at most `most` bytes. The connection stays open if the caller leaves the loop over the pieces. */
export function openUpload(chunks: AsyncIterable<Buffer>, most: number): Upload {
  const iterator = chunks[Symbol.asyncIterator]();
  const hash = createHash('sha256');
  let size = 0;

  async function next(): Promise<Buffer | null> {
    const { done, value } = await iterator.next();
    if (done === true) return null;
    size += value.length;
    return value;
  }

  async function* read(): AsyncGenerator<Buffer> {
    for (let chunk = await next(); chunk !== null; chunk = await next()) {
      if (size > most) throw new PayError('body_too_large', `The body is larger than ${most} bytes.`);
      hash.update(chunk);
      for (let at = 0; at < chunk.length; at += bytesATurn) {
        yield chunk.subarray(at, at + bytesATurn);
        await nextTurn();
      }
    }
  }

  async function drain(): Promise<void> {
    while (size <= 2 * most) if ((await next()) === null) return;
    await iterator.return?.();
  }

  return { read, drain, digest: () => hash.digest() };
}
