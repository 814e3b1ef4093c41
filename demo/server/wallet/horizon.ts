import type { Fetch } from '../../../src/api/client/transport.ts';
import type { Clock } from '../../../src/core/clock.ts';
import type { ProblemCode, WalletProblem } from '../../wallet-messages.ts';

/** An asset in Horizon's answers. */
export interface HorizonAsset {
  readonly asset_type: string;
  readonly asset_code?: string;
  readonly asset_issuer?: string;
}

/** Fields of an account that the wallet reads. */
export interface HorizonAccount {
  readonly account_id: string;
  readonly sequence: string;
  readonly subentry_count: number;
  readonly num_sponsoring: number;
  readonly num_sponsored: number;
  readonly balances: readonly (HorizonAsset & {
    readonly balance: string;
    readonly limit?: string;
    readonly selling_liabilities?: string;
    readonly is_authorized?: boolean;
  })[];
  /** Data entries: name → value in base64. */
  readonly data: Readonly<Record<string, string>>;
}

interface HorizonPage<T> {
  readonly _embedded: { readonly records: readonly T[] };
}

/** Horizon's answer to a submitted envelope. */
interface SubmissionAnswer {
  readonly status: 'PENDING' | 'DUPLICATE' | 'TRY_AGAIN_LATER' | 'ERROR';
  /** `TransactionResult` in base64, if an `ERROR` contains a result. */
  readonly resultXdr: string | null;
}

/** Access to a Stellar network. Each call throws WalletError `no_network` when Horizon does not answer. */
export interface Horizon {
  passphrase(): Promise<string>;
  /** Null when Horizon answers 404 or 410. */
  find<T>(path: string): Promise<T | null>;
  list<T>(path: string): Promise<readonly T[]>;
  /** Submits an envelope without waiting for a ledger. */
  submit(envelopeXdr: string): Promise<SubmissionAnswer>;
  /** Creates the account with XLM from friendbot. */
  createAccount(address: string): Promise<void>;
}

const timeoutMs = 20_000;
const silent = 'The test network does not answer. Try again in a moment.';

/** `url` has no slash at its end. */
export function createHorizon(url: () => string, fetch: Fetch): Horizon {
  let passphrase: string | null = null;

  async function ask(path: string, init: RequestInit = {}): Promise<Response> {
    try {
      return await fetch(url() + path, { signal: AbortSignal.timeout(timeoutMs), ...init });
    } catch (cause) {
      throw new WalletError('no_network', silent, { cause });
    }
  }

  async function read<T>(path: string): Promise<T | null> {
    const answer = await ask(path, { headers: { Accept: 'application/json' } });
    if (answer.status === 404 || answer.status === 410) return null;
    if (!answer.ok) throw new WalletError('no_network', silent);
    return (await answer.json().catch(cause => {
      throw new WalletError('no_network', silent, { cause });
    })) as T;
  }

  async function readPassphrase(): Promise<string> {
    passphrase ??= (await read<{ network_passphrase?: string }>('/'))?.network_passphrase ?? null;
    if (passphrase !== null) return passphrase;
    throw new WalletError('no_network', 'This service runs without the test network that the wallet is for.');
  }

  async function find<T>(path: string): Promise<T | null> {
    const found = await read<T>(path);
    // A server without Horizon answers 404 to every path. Then reading the passphrase throws.
    if (found === null) await readPassphrase();
    return found;
  }

  return {
    find,
    passphrase: readPassphrase,
    async list<T>(path: string) {
      return (await find<HorizonPage<T>>(path))?._embedded.records ?? [];
    },
    async submit(envelopeXdr) {
      const body = new URLSearchParams({ tx: envelopeXdr });
      return await readSubmissionAnswer(await ask('/transactions_async', { method: 'POST', body }));
    },
    async createAccount(address) {
      const answer = await ask(`/friendbot?${new URLSearchParams({ addr: address })}`);
      if (!answer.ok) throw new WalletError('no_network', 'The faucet gave nothing. Try again in a moment.');
    },
  };
}

async function readSubmissionAnswer(answer: Response): Promise<SubmissionAnswer> {
  const body = (await answer.json().catch(() => null)) as {
    readonly tx_status?: SubmissionAnswer['status'];
    readonly error_result_xdr?: string;
  } | null;
  if (body?.tx_status !== undefined) return { status: body.tx_status, resultXdr: body.error_result_xdr ?? null };
  // A gateway may have answered, so the result of the transaction is unknown.
  const isUnknown = answer.status === 429 || answer.status >= 500;
  return { status: isUnknown ? 'TRY_AGAIN_LATER' : 'ERROR', resultXdr: null };
}

/** The network's passphrase. Throws WalletError when it differs from `meantFor`; null accepts any network. */
export async function checkNetwork(horizon: Horizon, meantFor: string | null): Promise<string> {
  const passphrase = await horizon.passphrase();
  if (meantFor === null || meantFor === passphrase) return passphrase;
  throw new WalletError('wrong_network', 'This link is for another Stellar network than the one of this wallet.');
}

/** An error of the wallet's server, with a message for the wallet's user. */
export class WalletError extends Error {
  readonly code: ProblemCode;

  constructor(code: ProblemCode, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.name = 'WalletError';
    this.code = code;
  }

  /** The error as JSON for the page. */
  get problem(): WalletProblem {
    return { code: this.code, message: this.message };
  }
}

/** The asset's name: `XLM` or `CODE:ISSUER`. */
export function assetName({ asset_type: type, asset_code: code, asset_issuer: issuer }: HorizonAsset): string {
  return type === 'native' ? 'XLM' : `${code}:${issuer}`;
}

/** The asset as query parameters of Horizon, whose names begin with the prefix. */
export function assetQuery(prefix: string, asset: string): Record<string, string> {
  const [code = '', issuer] = asset.split(':');
  if (issuer === undefined) return { [`${prefix}_asset_type`]: 'native' };
  return {
    [`${prefix}_asset_type`]: code.length > 4 ? 'credit_alphanum12' : 'credit_alphanum4',
    [`${prefix}_asset_code`]: code,
    [`${prefix}_asset_issuer`]: issuer,
  };
}

/** The account on the ledger, or null. */
export function findAccount(horizon: Horizon, address: string): Promise<HorizonAccount | null> {
  return horizon.find<HorizonAccount>(`/accounts/${address}`);
}

export interface LedgerDeps {
  readonly horizon: Horizon;
  readonly clock: Clock;
}
