import type {
  Draft,
  DraftWish,
  History,
  PaymentWish,
  PayWays,
  ProblemCode,
  Progress,
  ShopTakings,
  Submission,
  WalletAccount,
} from '../wallet-messages.ts';

/** An error of the wallet's server, with a message for the user. */
export class WalletApiError extends Error {
  readonly code: ProblemCode;

  constructor(code: ProblemCode, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.code = code;
  }
}

async function ask<T>(path: string, body?: object): Promise<T> {
  const init: RequestInit =
    body === undefined
      ? {}
      : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  let answer: Response;
  try {
    answer = await fetch(path, init);
  } catch (cause) {
    throw new WalletApiError('no_network', 'There is no connection. Try again in a moment.', { cause });
  }
  const said = (await answer.json().catch(() => ({}))) as { code?: ProblemCode; message?: string; error?: string };
  if (answer.ok) return said as T;
  throw new WalletApiError(said.code ?? 'no_network', said.message ?? said.error ?? 'The wallet’s server is not well.');
}

const base = '/demo/api/wallet';

/** The wallet's server. Each call throws WalletApiError. */
export const walletApi = {
  account: (address: string) => ask<WalletAccount>(`${base}/accounts/${address}`),
  history: (address: string) => ask<History>(`${base}/accounts/${address}/history`),
  /** XLM from the network's faucet. */
  lumens: (from: string) => ask<WalletAccount>(`${base}/lumens`, { from }),
  /** `network` is the passphrase of the requested network, or null for any network. */
  ways: (from: string, wish: PaymentWish, network: string | null) =>
    ask<PayWays>(`${base}/ways`, { from, wish, network }),
  draft: (wish: DraftWish) => ask<Draft>(`${base}/drafts`, wish),
  submit: (submission: Submission) => ask<Progress>(`${base}/submissions`, submission),
  progress: (hash: string, until: string | null) =>
    ask<Progress>(`${base}/transactions/${hash}${until === null ? '' : `?${new URLSearchParams({ until })}`}`),
  takings: () => ask<ShopTakings>('/demo/api/takings'),
};
