import type { Fetch } from '../../../src/api/client/transport.ts';
import type { Clock } from '../../../src/core/clock.ts';
import type { ProblemCode, WalletProblem } from '../../wallet-wire.ts';

/** An asset as Horizon writes it. */
export interface HorizonAsset {
  readonly asset_type: string;
  readonly asset_code?: string;
  readonly asset_issuer?: string;
}

/** The parts of an account that a wallet reads. */
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
  /** Name → base64. */
  readonly data: Readonly<Record<string, string>>;
}

/** A page of records. */
interface HorizonPage<T> {
  readonly _embedded: { readonly records: readonly T[] };
}

/** What a network's Horizon says to the handing in of an envelope. */
interface HandedIn {
  readonly status: 'PENDING' | 'DUPLICATE' | 'TRY_AGAIN_LATER' | 'ERROR';
  /** `TransactionResult`, base64, with `ERROR` where the network got so far. */
  readonly resultXdr: string | null;
}

/** A Stellar network seen through its Horizon. Every call throws WalletError `no_network` when it does not answer. */
export interface Horizon {
  passphrase(): Promise<string>;
  /** Null: there is no such thing. */
  find<T>(path: string): Promise<T | null>;
  list<T>(path: string): Promise<readonly T[]>;
  /** Hands an envelope in without waiting for a ledger. */
  handIn(envelopeXdr: string): Promise<HandedIn>;
  /** Makes the account and gives it XLM. */
  befriend(address: string): Promise<void>;
}

const patienceMs = 20_000;
const silent = 'The test network does not answer. Try again in a moment.';

/** The Horizon at the address, without a slash at its end. */
export function createHorizon(url: () => string, fetch: Fetch): Horizon {
  let passphrase: string | null = null;

  async function ask(path: string, init: RequestInit = {}): Promise<Response> {
    try {
      return await fetch(url() + path, { signal: AbortSignal.timeout(patienceMs), ...init });
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
    // Where there is no Horizon at all, nothing is found either.
    if (found === null) await readPassphrase();
    return found;
  }

  return {
    find,
    passphrase: readPassphrase,
    async list<T>(path: string) {
      return (await find<HorizonPage<T>>(path))?._embedded.records ?? [];
    },
    async handIn(envelopeXdr) {
      const body = new URLSearchParams({ tx: envelopeXdr });
      return await handedIn(await ask('/transactions_async', { method: 'POST', body }));
    },
    async befriend(address) {
      const answer = await ask(`/friendbot?${new URLSearchParams({ addr: address })}`);
      if (!answer.ok) throw new WalletError('no_network', 'The faucet gave nothing. Try again in a moment.');
    },
  };
}

async function handedIn(answer: Response): Promise<HandedIn> {
  const body = (await answer.json().catch(() => null)) as {
    readonly tx_status?: HandedIn['status'];
    readonly error_result_xdr?: string;
  } | null;
  if (body?.tx_status !== undefined) return { status: body.tx_status, resultXdr: body.error_result_xdr ?? null };
  // What a gateway says in Horizon's place says nothing of the transaction.
  const isUnknown = answer.status === 429 || answer.status >= 500;
  return { status: isUnknown ? 'TRY_AGAIN_LATER' : 'ERROR', resultXdr: null };
}

/** The network's passphrase. Throws WalletError when something is meant for another network; null means any. */
export async function checkNetwork(horizon: Horizon, meantFor: string | null): Promise<string> {
  const passphrase = await horizon.passphrase();
  if (meantFor === null || meantFor === passphrase) return passphrase;
  throw new WalletError('wrong_network', 'This link is for another Stellar network than the one of this wallet.');
}

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

/** The asset as the wallet names it: `XLM` or `CODE:ISSUER`. */
export function assetName({ asset_type: type, asset_code: code, asset_issuer: issuer }: HorizonAsset): string {
  return type === 'native' ? 'XLM' : `${code}:${issuer}`;
}

/** The asset as parameters of a query of Horizon, their names beginning with the prefix. */
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

/** What building transactions needs. */
export interface LedgerDeps {
  readonly horizon: Horizon;
  readonly clock: Clock;
}
