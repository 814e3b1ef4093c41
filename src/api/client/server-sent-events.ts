/**
 * A message of an event stream (WHATWG HTML §9.2). `id`: the last received id, which a client sends when it reconnects.
 */
export interface SentEvent {
  readonly event: string;
  readonly data: string;
  readonly id: string;
  /** Milliseconds to wait before a reconnection. Null if the server names no time. */
  readonly retryMs: number | null;
}

interface Draft {
  event: string;
  data: string[];
  id: string;
  retryMs: number | null;
}

function take(draft: Draft, line: string): void {
  const colon = line.indexOf(':');
  const field = colon === -1 ? line : line.slice(0, colon);
  const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
  if (field === 'event') draft.event = value;
  else if (field === 'data') draft.data.push(value);
  else if (field === 'id' && !value.includes('\0')) draft.id = value;
  else if (field === 'retry' && /^\d+$/.test(value)) draft.retryMs = Number(value);
}

/** The lines of a byte stream, ended by LF, CR or CRLF. Ignores a last line without an end. */
async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      // A CR at the very end may be the first half of a CRLF, so it does not end a line yet.
      const lines = text.split(/\r\n|\n|\r(?!$)/);
      text = lines.pop() ?? '';
      yield* lines;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Yields the messages of an event stream. Skips comments (heartbeats). Leaving the loop closes the stream. */
export async function* readServerSentEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<SentEvent> {
  let draft: Draft = { event: '', data: [], id: '', retryMs: null };
  for await (const line of linesOf(body)) {
    if (line !== '') {
      take(draft, line);
      continue;
    }
    const { event, data, id, retryMs } = draft;
    if (data.length > 0) yield { event: event || 'message', data: data.join('\n'), id, retryMs };
    draft = { event: '', data: [], id, retryMs };
  }
}
