import type { ProblemCode, WalletProblem } from '../../wallet-wire.ts';

/** What goes wrong in the wallet's server, told to the person who holds the wallet. */
export class WalletError extends Error {
  readonly code: ProblemCode;

  constructor(code: ProblemCode, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.name = 'WalletError';
    this.code = code;
  }

  /** As it goes to the page. */
  get problem(): WalletProblem {
    return { code: this.code, message: this.message };
  }
}
