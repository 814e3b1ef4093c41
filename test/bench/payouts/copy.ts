import pg from 'pg';

/** The part of `pg`'s connection that its types do not describe. */
interface CopyConnection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** A COPY statement with its rows, which `pg` alone does not support. */
class Copy extends pg.Query {
  readonly #rows: Buffer[];

  constructor(text: string, rows: Buffer[], done: (error: Error | null) => void) {
    super(text, undefined, done as never);
    this.#rows = rows;
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    // Copies the chunk, because the parser writes the next message into the same buffer.
    this.#rows.push(Buffer.from(chunk));
  }

  handleCopyInResponse(connection: CopyConnection): void {
    for (const rows of this.#rows) connection.sendCopyFromChunk(rows);
    connection.endCopyFrom();
  }
}

/** Runs `copy … to stdout`. Returns the unparsed rows. */
export async function copyOut(client: pg.ClientBase, text: string): Promise<Buffer> {
  const rows: Buffer[] = [];
  await run(client, text, rows);
  return Buffer.concat(rows);
}

/** Runs `copy … from stdin` with the rows that `copyOut` returned. */
export async function copyIn(client: pg.ClientBase, text: string, rows: Buffer): Promise<void> {
  await run(client, text, [rows]);
}

async function run(client: pg.ClientBase, text: string, rows: Buffer[]): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    client.query(new Copy(text, rows, error => (error === null ? resolve() : reject(error))));
  });
}
