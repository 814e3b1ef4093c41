/** An error of JSON-RPC 2.0. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** What was asked cannot be answered as it was asked. */
export function invalidParams(message: string): RpcError {
  return new RpcError(-32_602, message);
}

/** There is no such method. */
export function methodNotFound(): RpcError {
  return new RpcError(-32_601, 'method not found');
}

/** Parameters of a call. */
export type RpcParams = Readonly<Record<string, unknown>>;

/** Which part of history is asked for. */
interface RpcPaging {
  readonly startLedger: number;
  /** The ledger before which to end; null: at the latest. */
  readonly endLedger: number | null;
  /** Behind which to go on; empty: from `startLedger` on. */
  readonly cursor: string;
  readonly limit: number;
}

/** Reads `startLedger`, `endLedger` and `pagination`. Throws `RpcError` where they are not what RPC takes. */
export function readPaging(
  params: RpcParams,
  oldest: number,
  latest: number,
  usualLimit: number,
  mostLimit: number,
): RpcPaging {
  const pagination = (params['pagination'] ?? {}) as RpcParams;
  const cursor = pagination['cursor'] ?? '';
  const limit = pagination['limit'] ?? usualLimit;
  if (typeof cursor !== 'string') throw invalidParams('cursor must be a text');
  if (!isWhole(limit) || limit < 1 || limit > mostLimit) {
    throw invalidParams(`limit must be between 1 and ${mostLimit}`);
  }
  const startLedger = params['startLedger'] ?? 0;
  const endLedger = params['endLedger'] ?? null;
  if (!isWhole(startLedger) || (endLedger !== null && !isWhole(endLedger))) {
    throw invalidParams('startLedger and endLedger must be whole numbers');
  }
  if (cursor !== '') {
    if (startLedger !== 0 || endLedger !== null) throw invalidParams('ledger ranges and cursor cannot both be set');
    return { startLedger: 0, endLedger: null, cursor, limit };
  }
  if (startLedger < oldest || startLedger > latest) {
    throw invalidParams(`startLedger must be within the ledger range: ${oldest} - ${latest}`);
  }
  return { startLedger, endLedger: endLedger === 0 ? null : endLedger, cursor, limit };
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
