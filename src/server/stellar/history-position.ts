/**
 * Positions in the ledger's history (SEP-35): 32 bits of ledger, 20 of transaction, 12 of operation. Horizon's cursors
 * are operation ids, which count operations from 1. Stellar RPC's event ids count operations from 0, and add the number
 * of the event: `0000433312448512-0000000001`. Zeros pad both parts.
 */

/** The position of an operation, from Horizon's id. `operationIndex` counts from 0. */
export function operationPosition(id: string): { readonly ledger: number; readonly operationIndex: number } {
  const position = BigInt(id);
  return { ledger: Number(position >> 32n), operationIndex: Number(position & 0xfffn) - 1 };
}

const rpcCursor = /^(\d{19})-(\d{10})$/;

/**
 * Converts a cursor of Stellar RPC to a cursor of Horizon, because an operator may change to Horizon. The cursor moves
 * back to the start of its transaction, so that no payment is skipped. A payment that is read twice is credited once.
 */
export function fromRpcCursor(cursor: string): string {
  const position = rpcCursor.exec(cursor)?.[1];
  return position === undefined ? cursor : String(BigInt(position) & ~0xfffn);
}

/** The ledger of a cursor of Stellar RPC. */
export function cursorLedger(cursor: string): number {
  const position = rpcCursor.exec(cursor)?.[1];
  return position === undefined ? 0 : Number(BigInt(position) >> 32n);
}

/**
 * Converts a cursor of Horizon to a cursor of Stellar RPC. The cursor moves back to the end of the previous
 * transaction.
 */
export function fromHorizonCursor(cursor: string): string {
  if (rpcCursor.test(cursor)) return cursor;
  const before = (BigInt(cursor) & ~0xfffn) - 1n;
  const lastEvent = '4294967295';
  return `${String(before < 0n ? 0n : before).padStart(19, '0')}-${lastEvent}`;
}
