/**
 * Arrays in PostgreSQL's binary format (`array_recv`), one for each column of many rows: `unnest($1::text[],
 * $2::int8[])`. `pg` sends a Buffer unchanged. Against one JSON parameter this saves a third of PostgreSQL's time for a
 * batch of events.
 */

/** How one value of an element type is written. */
interface Element {
  /** The type's OID (`pg_type`). */
  readonly oid: number;
  /** Bytes of the value. */
  size(value: unknown): number;
  write(value: unknown, into: Buffer, at: number): void;
}

/** PostgreSQL counts microseconds from 2000-01-01 UTC. */
const epochMs = Date.UTC(2000, 0, 1);

const elements = {
  text: {
    oid: 25,
    size: value => Buffer.byteLength(value as string),
    write: (value, into, at) => void into.write(value as string, at),
  },
  bytea: {
    oid: 17,
    size: value => (value as Uint8Array).length,
    write: (value, into, at) => into.set(value as Uint8Array, at),
  },
  int8: {
    oid: 20,
    size: () => 8,
    write: (value, into, at) => void into.writeBigInt64BE(BigInt(value as bigint | number), at),
  },
  bool: {
    oid: 16,
    size: () => 1,
    write: (value, into, at) => void into.writeUInt8(value === true ? 1 : 0, at),
  },
  timestamptz: {
    oid: 1184,
    size: () => 8,
    write: (value, into, at) => void into.writeBigInt64BE(BigInt((value as Date).getTime() - epochMs) * 1000n, at),
  },
} satisfies Readonly<Record<string, Element>>;

/** Types that travel in binary. */
export type BinaryType = keyof typeof elements;

/** Whether values of the type travel in binary; other types travel as text and are cast in SQL. */
export function isBinaryType(type: string): type is BinaryType {
  return type in elements;
}

const headerBytes = 20;

/** A one-dimensional array of the element type. `int8` takes numbers and bigints; null is NULL. */
export function arrayParameter(type: BinaryType, values: readonly unknown[]): Buffer {
  const element: Element = elements[type];
  const sizes = values.map(value => (value === null ? -1 : element.size(value)));
  const length = sizes.reduce((sum, size) => sum + 4 + Math.max(size, 0), headerBytes);
  const into = Buffer.allocUnsafe(length);
  into.writeInt32BE(1, 0);
  into.writeInt32BE(sizes.includes(-1) ? 1 : 0, 4);
  into.writeInt32BE(element.oid, 8);
  into.writeInt32BE(values.length, 12);
  into.writeInt32BE(1, 16);
  let at = headerBytes;
  for (const [index, value] of values.entries()) {
    const size = sizes[index] ?? -1;
    into.writeInt32BE(size, at);
    if (value !== null) element.write(value, into, at + 4);
    at += 4 + Math.max(size, 0);
  }
  return into;
}
