import type { Draft, Progress } from '../wallet-wire.ts';
import { WalletApiError, walletApi } from './wallet-api.ts';
import type { WalletKey } from './wallet-key.ts';

const pauseMs = 900;

/** How a transaction ended. */
export type Outcome = Extract<Progress, { state: 'applied' | 'failed' }>;

/**
 * Signs the draft, hands it in, and follows it until a ledger has it or cannot have it any more; `onSent` is called once
 * the network has it. A lost connection on the way is waited out: once something was handed in, only the ledger can say
 * what became of it. Throws WalletApiError where nothing was handed in.
 */
export async function carryOut(key: WalletKey, draft: Draft, onSent: () => void = () => undefined): Promise<Outcome> {
  const signature = await key.sign(draft.hash);
  const submission = { from: key.address, envelopeXdr: draft.envelopeXdr, signature };
  let progress: Progress = await patiently(() => walletApi.submit(submission));
  onSent();
  for (;;) {
    if (progress.state === 'applied' || progress.state === 'failed') return progress;
    await pause();
    const { state, hash }: Progress = progress;
    progress = await patiently(() =>
      state === 'retry' ? walletApi.submit(submission) : walletApi.progress(hash, draft.expiresAt),
    );
  }
}

/** Asks until there is an answer. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof WalletApiError) || error.code !== 'no_network') throw error;
      await pause();
    }
  }
}

function pause(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, pauseMs));
}
