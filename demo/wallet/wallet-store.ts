import type { Movement, WalletAccount } from '../wallet-wire.ts';
import { followAccount } from './live-account.ts';
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
