const replacement = new TextEncoder().encode('[redacted]');

/** The failure function of the search algorithm by Knuth, Morris and Pratt (1977). */
function fallbackTable(needle: Uint8Array): Uint32Array {
  const table = new Uint32Array(needle.length);
  for (let at = 1, length = 0; at < needle.length; at++) {
    while (length > 0 && needle[at] !== needle[length]) length = table[length - 1] ?? 0;
    if (needle[at] === needle[length]) length++;
    table[at] = length;
  }
  return table;
}

/**
 * A stream that replaces the secret, even if the secret is split between two chunks. It keeps back only bytes that may
 * be the start of the secret, so events of a live stream are not delayed. The secret must be at least as long as its
 * replacement, because the output buffer is as long as the input.
 */
export function redactStream(secret: string): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const needle = new TextEncoder().encode(secret);
  if (needle.length < replacement.length) throw new RangeError('the secret is too short to search for');
  const fallback = fallbackTable(needle);
  let matched = 0;

  function clean(chunk: Uint8Array): Uint8Array<ArrayBuffer> {
    const out = new Uint8Array(matched + chunk.length);
    let length = 0;
    const put = (bytes: Uint8Array) => {
      out.set(bytes, length);
      length += bytes.length;
    };
    for (const byte of chunk) {
      while (matched > 0 && needle[matched] !== byte) {
        const kept = fallback[matched - 1] ?? 0;
        put(needle.subarray(0, matched - kept));
        matched = kept;
      }
      if (needle[matched] === byte) matched++;
      else out[length++] = byte;
      if (matched === needle.length) {
        put(replacement);
        matched = 0;
      }
    }
    return out.slice(0, length);
  }

  return new TransformStream({
    transform(chunk, controller) {
      const bytes = clean(chunk);
      if (bytes.length > 0) controller.enqueue(bytes);
    },
    flush(controller) {
      if (matched > 0) controller.enqueue(needle.slice(0, matched));
    },
  });
}
