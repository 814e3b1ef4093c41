/**
 * Arrays as PostgreSQL takes them in its binary format (`array_recv`): `pg` sends a Buffer as it is, so neither side
 * escapes, quotes or parses text. For bulk statements: `unnest($1::text[], $2::int8[])`.
 */

/** How the elements of an array are written. */
interface Element<Value> {
  /** The element type's OID (`pg_type`). */
  readonly oid: number;
  size(value: Value): number;
  write(value: Value, into: Buffer, at: number): void;
}

const headerBytes = 20;

function encode<Value>(element: Element<Value>, values: readonly (Value | null)[]): Buffer {
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

const text: Element<string> = {
  oid: 25,
  size: value => Buffer.byteLength(value),
  write: (value, into, at) => into.write(value, at),
};

const bytes: Element<Uint8Array> = {
  oid: 17,
  size: value => value.length,
  write: (value, into, at) => into.set(value, at),
};

const integer: Element<bigint> = {
  oid: 20,
  size: () => 8,
  write: (value, into, at) => void into.writeBigInt64BE(value, at),
};

const truth: Element<boolean> = {
  oid: 16,
  size: () => 1,
  write: (value, into, at) => void into.writeUInt8(value ? 1 : 0, at),
};

/** PostgreSQL counts microseconds from 2000-01-01 UTC. */
const epochMs = Date.UTC(2000, 0, 1);

const moment: Element<Date> = {
  oid: 1184,
  size: () => 8,
  write: (value, into, at) => void into.writeBigInt64BE(BigInt(value.getTime() - epochMs) * 1000n, at),
};

/** A `text[]`; also for what the statement casts from text (`numeric`, `jsonb`). */
export const textArray = (values: readonly (string | null)[]): Buffer => encode(text, values);

/** A `bytea[]`. */
export const byteaArray = (values: readonly (Uint8Array | null)[]): Buffer => encode(bytes, values);

/** An `int8[]`. */
export const bigintArray = (values: readonly (bigint | null)[]): Buffer => encode(integer, values);

/** A `bool[]`. */
export const booleanArray = (values: readonly (boolean | null)[]): Buffer => encode(truth, values);

/** A `timestamptz[]`. */
export const timestampArray = (values: readonly (Date | null)[]): Buffer => encode(moment, values);
