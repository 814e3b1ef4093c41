import type { ClaimableBalance, Draft, DraftWish, Gift, Progress } from '../wallet-messages.ts';
import { moneyText } from './amount-text.ts';
import { note } from './elements.ts';
import { WalletApiError, walletApi } from './wallet-api.ts';
import type { WalletKey } from './wallet-key.ts';
import type { Wallet } from './wallet-store.ts';

/** Takes a gift of the faucet and returns a note about the result. */
export async function takeGift(wallet: Wallet, { asset, amount }: Gift): Promise<HTMLElement> {
  return await noteAbout(wallet, `${moneyText(amount, asset)} arrived.`, async () => {
    if (asset === 'XLM') await walletApi.lumens(wallet.key.address);
    else await sign(wallet, { kind: 'test_money', from: wallet.key.address, asset });
  });
}

/** Adds a trustline for an asset and returns a note about the result. */
export async function addAsset(wallet: Wallet, asset: string): Promise<HTMLElement> {
  return await noteAbout(
    wallet,
    'Added.',
    async () => await sign(wallet, { kind: 'add_asset', from: wallet.key.address, asset }),
  );
}

/** Claims a claimable balance and returns a note about the result. */
export async function claimBalance(wallet: Wallet, claim: ClaimableBalance): Promise<HTMLElement> {
  const { address: from } = wallet.key;
  return await noteAbout(wallet, `${moneyText(claim.amount, claim.asset)} arrived.`, async () => {
    await sign(wallet, { kind: 'claim', from, claim });
  });
}

async function sign({ key }: Wallet, wish: DraftWish): Promise<void> {
  const draft = await walletApi.draft(wish);
  const end = await carryOut(key, draft);
  if (end.state === 'failed') throw new WalletApiError(end.problem.code, end.problem.message);
}

async function noteAbout(wallet: Wallet, done: string, work: () => Promise<void>): Promise<HTMLElement> {
  try {
    await work();
    await wallet.refresh();
    return note('good', done);
  } catch (error) {
    if (!(error instanceof WalletApiError)) throw error;
    return note('bad', 'That did not work.', error.message);
  }
}

const pauseMs = 900;

export type Outcome = Extract<Progress, { state: 'applied' | 'failed' }>;

/**
 * Signs and submits a draft, and waits until it is in a ledger or expires. Calls `onSent` after the first answer.
 * Retries while offline, because only the ledger knows the result of a submission. Throws WalletApiError for a refused
 * call.
 */
export async function carryOut(key: WalletKey, draft: Draft, onSent: () => void = () => undefined): Promise<Outcome> {
  const signature = await key.sign(draft.hash);
  const submission = { from: key.address, envelopeXdr: draft.envelopeXdr, signature };
  let progress: Progress = await retryWhileOffline(() => walletApi.submit(submission));
  onSent();
  for (;;) {
    if (progress.state === 'applied' || progress.state === 'failed') return progress;
    await pause();
    const { state, hash }: Progress = progress;
    progress = await retryWhileOffline(() =>
      state === 'retry' ? walletApi.submit(submission) : walletApi.progress(hash, draft.expiresAt),
    );
  }
}

/** Repeats the call while the network does not answer. */
async function retryWhileOffline<T>(ask: () => Promise<T>): Promise<T> {
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
