/**
 * Places in the ledger’s history (SEP-35): 32 bits of ledger, 20 of transaction, 12 of operation. Horizon’s operation
 * ids count operations from 1 and are its cursors; Stellar RPC’s event ids count them from 0 and add the event:
 * `0000433312448512-0000000001`, each part padded with zeros.
 */

/** The place of an operation by Horizon’s id. `operationIndex` counts from 0. */
export function operationPlace(id: string): { readonly ledger: number; readonly operationIndex: number } {
  const place = BigInt(id);
  return { ledger: Number(place >> 32n), operationIndex: Number(place & 0xfffn) - 1 };
}

const rpcCursor = /^(\d{19})-(\d{10})$/;

/**
 * A cursor for Horizon. One of Stellar RPC becomes the beginning of its transaction: an operator may change from one
 * to the other, and what is read twice is credited once, but nothing may be passed over.
 */
export function fromRpcCursor(cursor: string): string {
  const place = rpcCursor.exec(cursor)?.[1];
  return place === undefined ? cursor : String(BigInt(place) & ~0xfffn);
}

/** The ledger in which a cursor of Stellar RPC stands. */
export function cursorLedger(cursor: string): number {
  const place = rpcCursor.exec(cursor)?.[1];
  return place === undefined ? 0 : Number(BigInt(place) >> 32n);
}

/** A cursor for Stellar RPC. One of Horizon becomes the end of the transaction before its own. */
export function fromHorizonCursor(cursor: string): string {
  if (rpcCursor.test(cursor)) return cursor;
  const before = (BigInt(cursor) & ~0xfffn) - 1n;
  return `${String(before < 0n ? 0n : before).padStart(19, '0')}-${lastEvent}`;
}

/** The largest number an event can have. */
const lastEvent = '4294967295';
