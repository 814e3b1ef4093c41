/** Thrown to answer a call with a JSON-RPC 2.0 error. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export function invalidParams(message: string): RpcError {
  return new RpcError(-32_602, message);
}

export function methodNotFound(): RpcError {
  return new RpcError(-32_601, 'method not found');
}

/** Parameters of a call. */
export type RpcParams = Readonly<Record<string, unknown>>;

/** A method of the RPC interface. Throws `RpcError`. */
export type RpcMethod = (params: RpcParams) => Promise<Readonly<Record<string, unknown>>>;

/** A requested page of history. */
interface RpcPaging {
  readonly startLedger: number;
  /** The page ends before this ledger. Null: no limit. */
  readonly endLedger: number | null;
  /** The page starts after this position. Empty: the page starts at `startLedger`. */
  readonly cursor: string;
  readonly limit: number;
}

interface PagingBounds {
  readonly oldest: number;
  readonly latest: number;
  readonly defaultLimit: number;
  readonly maxLimit: number;
}

/** Reads `startLedger`, `endLedger` and `pagination`. Throws `RpcError` for invalid values. */
export function readPaging(params: RpcParams, { oldest, latest, defaultLimit, maxLimit }: PagingBounds): RpcPaging {
  const pagination = (params['pagination'] ?? {}) as RpcParams;
  const cursor = pagination['cursor'] ?? '';
  const limit = pagination['limit'] ?? defaultLimit;
  if (typeof cursor !== 'string') throw invalidParams('cursor must be a text');
  if (!isWhole(limit) || limit < 1 || limit > maxLimit) {
    throw invalidParams(`limit must be between 1 and ${maxLimit}`);
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
