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
