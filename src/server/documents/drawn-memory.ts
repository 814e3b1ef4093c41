/** Bytes that are kept of documents at most. */
const mostBytes = 8_000_000;
const keptMs = 600_000;

const kept = new Map<string, Buffer>();
let keptBytes = 0;

/** The document that was drawn for this key not long ago. */
export function recallDrawn(key: string): Buffer | null {
  const bytes = kept.get(key);
  if (bytes === undefined) return null;
  // What is asked for again is forgotten last.
  kept.delete(key);
  kept.set(key, bytes);
  return bytes;
}

/** Keeps a document for ten minutes, or until others need the room. */
export function keepDrawn(key: string, bytes: Buffer): void {
  if (bytes.length > mostBytes) return;
  forget(key);
  kept.set(key, bytes);
  keptBytes += bytes.length;
  setTimeout(() => kept.get(key) === bytes && forget(key), keptMs).unref();
  for (const oldest of kept.keys()) {
    if (keptBytes <= mostBytes) return;
    forget(oldest);
  }
}

function forget(key: string): void {
  keptBytes -= kept.get(key)?.length ?? 0;
  kept.delete(key);
}
