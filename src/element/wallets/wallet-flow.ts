import type { CryptoAssetOption, PayerHolding, WalletTransaction } from '../../api/crypto.ts';
import { defineMachine } from '../../core/machine.ts';
import { announce, type Desk } from '../desk.ts';
import type { AssetLook } from '../methods/crypto-assets.ts';
import { say } from '../strings/en.ts';
import { walletStrings } from '../strings/en-wallet.ts';
import type { Wallet } from './wallet.ts';

/** What is said of it, in the element's language. */
export const wordsOf = ({ desk }: Pick<WalletFlow, 'desk'>): typeof walletStrings =>
  desk.strings.parts?.wallet ?? walletStrings;

/** Where paying with a wallet stands. */
export type WalletStep =
  | 'closed'
  | 'looking'
  | 'missing'
  | 'elsewhere'
  | 'connecting'
  | 'refused'
  | 'reading'
  | 'stuck'
  | 'choosing'
  | 'building'
  | 'reviewing'
  | 'signing'
  | 'submitting'
  | 'unsure';

/**
 * Each step with what may follow. While the network may have the payment there is no way back to the code: nobody shall
 * pay twice.
 */
export const walletMachine = defineMachine<WalletStep>({
  closed: ['looking'],
  looking: ['missing', 'elsewhere', 'connecting', 'refused', 'closed'],
  missing: ['looking', 'closed'],
  elsewhere: ['looking', 'closed'],
  connecting: ['reading', 'refused', 'closed'],
  refused: ['looking', 'closed'],
  reading: ['choosing', 'building', 'stuck', 'refused', 'closed'],
  stuck: ['looking', 'closed'],
  choosing: ['building', 'looking', 'closed'],
  building: ['reviewing', 'choosing', 'stuck', 'closed'],
  reviewing: ['signing', 'closed'],
  signing: ['submitting', 'reviewing', 'elsewhere', 'closed'],
  submitting: ['reviewing', 'building', 'reading', 'stuck', 'unsure', 'closed'],
  unsure: ['submitting'],
});

/** One go at paying with a wallet. */
export interface WalletFlow {
  readonly desk: Desk;
  readonly wallet: Wallet;
  /** What the payment is to arrive in. */
  readonly option: CryptoAssetOption;
  readonly look: AssetLook;
  step: WalletStep;
  /** What went other than wished, to be read before the next press. What stands before `|` is bold. */
  remark: string;
  /** The name of the network that the wallet is on. */
  theirs: string;
  address: string;
  holdings: readonly PayerHolding[];
  /** The asset of the holding that the payer has marked. */
  chosen: string;
  transaction: WalletTransaction | null;
  signed: string;
}

/** A go that has not begun. */
export function newFlow(desk: Desk, wallet: Wallet, option: CryptoAssetOption, look: AssetLook): WalletFlow {
  return {
    desk,
    wallet,
    option,
    look,
    step: 'closed',
    remark: '',
    theirs: '',
    address: '',
    holdings: [],
    chosen: '',
    transaction: null,
    signed: '',
  };
}

/**
 * Takes a step, with a remark on what led to it if there is something to say, and says what there is to hear. False where
 * the step does not follow: then the payer has gone another way while something was awaited, and whoever asks is to stop.
 */
export function go(flow: WalletFlow, step: WalletStep, remark?: string): boolean {
  if (!walletMachine.can(flow.step, step)) return false;
  flow.step = step;
  if (remark) flow.remark = told(flow, remark);
  // A remark is an alert, which is read out by itself.
  announce(flow.desk, remark ? '' : doing(flow));
  return true;
}

/** What is being waited for; empty when it is the payer's turn. */
export function doing(flow: WalletFlow): string {
  const { doing: sentences } = wordsOf(flow);
  return told(flow, sentences[flow.step as keyof typeof sentences] ?? '');
}

/** A sentence with wallet, networks, account and asset filled in. */
export function told(flow: WalletFlow, sentence: string): string {
  const { wallet, option, look, theirs, address, chosen } = flow;
  return say(sentence, {
    wallet: wallet.name,
    theirs,
    ours: option.network ?? '',
    name: option.network ? wordsOf(flow).networks[option.network] : '',
    account: look.shortened(address),
    code: look.codeOf(chosen),
  });
}
