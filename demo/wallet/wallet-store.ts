import type { Movement, WalletAccount } from '../wallet-messages.ts';
import { WalletApiError, walletApi } from './wallet-api.ts';
import type { WalletKey } from './wallet-key.ts';

/** Data that the wallet displays. */
export interface WalletState {
  /** Null until the first answer of the ledger. */
  readonly account: WalletAccount | null;
  readonly movements: readonly Movement[];
  /** Why the last call failed, or null. */
  readonly trouble: string | null;
}

/** The wallet: its key and the ledger's last answer about its account. */
export interface Wallet {
  readonly key: WalletKey;
  state(): WalletState;
  /** Calls `show` now and after each change, until the signal aborts. */
  follow(show: (state: WalletState) => void, signal: AbortSignal): void;
  /** Reads the account and its payments from the ledger. */
  refresh(): Promise<void>;
}

/** Creates the wallet of a key, and updates it when its account on the ledger changes. */
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
/** Payments of one ledger arrive together and cause one refresh. */
const gatherMs = 250;

/**
 * Calls back when the account may have changed: on an event of the network's payment stream, and when the page becomes
 * visible. Stops when the signal aborts.
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
  // Horizon's first message is “hello”.
  stream.addEventListener('message', event => event.data !== '"hello"' && hint());
  stream.addEventListener('error', () => {
    // The browser reopens a broken stream automatically, but not a refused stream.
    if (stream.readyState !== EventSource.CLOSED) return;
    setTimeout(() => open(url, hint, signal), reopenMs);
  });
  signal.addEventListener('abort', () => stream.close());
}

export interface ScreenPlace {
  readonly place: HTMLElement;
  readonly wallet: Wallet;
  /** The text after the screen's name in the address, such as the link in `#pay=…`. */
  readonly given: string | null;
  /** Aborts when the user leaves the screen. */
  readonly signal: AbortSignal;
}

/** Shows a screen in the element `place`. */
export type Screen = (given: ScreenPlace) => void;
