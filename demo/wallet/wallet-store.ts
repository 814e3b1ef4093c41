import type { Movement, WalletAccount } from '../wallet-wire.ts';
import { WalletApiError, walletApi } from './wallet-api.ts';
import type { WalletKey } from './wallet-key.ts';

/** What the wallet shows. */
export interface WalletState {
  /** Null until the ledger was first asked. */
  readonly account: WalletAccount | null;
  readonly movements: readonly Movement[];
  /** Why the ledger could not be asked; null when it could. */
  readonly trouble: string | null;
}

/** The wallet: its key, and what the ledger last said of it. Nothing is shown before the ledger says so. */
export interface Wallet {
  readonly key: WalletKey;
  state(): WalletState;
  /** Calls back at each change until the signal aborts, and once at once. */
  follow(show: (state: WalletState) => void, signal: AbortSignal): void;
  /** Asks the ledger. */
  refresh(): Promise<void>;
}

/** The wallet of that key. Follows the ledger for as long as the page is there. */
export function createWallet(key: WalletKey): Wallet {
  let state: WalletState = { account: null, movements: [], trouble: null };
  const followers = new Set<(state: WalletState) => void>();
  let stop: AbortController | null = null;

  function set(next: WalletState): void {
    state = next;
    for (const follower of [...followers]) follower(state);
    // An account that is not on the ledger has no stream.
    if (state.account?.exists !== true || stop !== null) return;
    stop = new AbortController();
    followAccount(key.address, () => void refresh(), stop.signal);
  }

  async function refresh(): Promise<void> {
    try {
      const account = await walletApi.account(key.address);
      const movements = account.exists ? (await walletApi.history(key.address)).movements : [];
      set({ account, movements, trouble: null });
    } catch (error) {
      if (!(error instanceof WalletApiError)) throw error;
      set({ ...state, trouble: error.message });
    }
  }

  return {
    key,
    state: () => state,
    follow(show, signal) {
      followers.add(show);
      signal.addEventListener('abort', () => followers.delete(show));
      show(state);
    },
    refresh,
  };
}

const reopenMs = 5_000;
/** Several payments in one ledger are one change. */
const gatherMs = 250;

/**
 * Calls back when something may have happened to the account: the network's own stream of payments is the hint, the
 * page coming back to the foreground another. Until the signal aborts.
 */
export function followAccount(address: string, onHint: () => void, signal: AbortSignal): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const hint = () => {
    clearTimeout(timer);
    timer = setTimeout(onHint, gatherMs);
  };
  const onVisible = () => document.visibilityState === 'visible' && hint();
  document.addEventListener('visibilitychange', onVisible, { signal });
  open(`/sandbox/horizon/accounts/${address}/payments?cursor=now`, hint, signal);
  signal.addEventListener('abort', () => clearTimeout(timer));
}

function open(url: string, hint: () => void, signal: AbortSignal): void {
  if (signal.aborted) return;
  const stream = new EventSource(url);
  // Horizon greets with “hello”, which is no payment.
  stream.addEventListener('message', event => event.data !== '"hello"' && hint());
  stream.addEventListener('error', () => {
    // The browser opens a broken stream again by itself, but not one that was refused.
    if (stream.readyState !== EventSource.CLOSED) return;
    setTimeout(() => open(url, hint, signal), reopenMs);
  });
  signal.addEventListener('abort', () => stream.close());
}

/** What a screen is given. */
export interface ScreenPlace {
  readonly place: HTMLElement;
  readonly wallet: Wallet;
  /** What follows the screen's name in the address: of `#pay=…` the link. */
  readonly given: string | null;
  /** Aborts when the screen is left. */
  readonly signal: AbortSignal;
}

/** Fills its place. */
export type Screen = (given: ScreenPlace) => void;
