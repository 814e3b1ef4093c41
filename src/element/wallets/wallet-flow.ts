import type { CryptoAssetOption, PayerHolding, WalletTransaction } from '../../api/crypto.ts';
import { defineMachine } from '../../core/machine.ts';
import { parseUnits } from '../../core/money.ts';
import { announce, type CheckoutContext } from '../checkout-context.ts';
import type { AssetLook } from '../methods/crypto-assets.ts';
import { walletStrings } from '../strings/en/wallet.ts';
import { say } from '../strings/en.ts';
import type { Wallet } from './wallet.ts';

/** The sentences of paying with a wallet, in the element's language. */
export const wordsOf = ({ context }: Pick<WalletFlow, 'context'>): typeof walletStrings =>
  context.strings.parts?.wallet ?? walletStrings;

/** Steps of paying with a wallet. */
export type WalletStep =
  | 'closed'
  | 'looking'
  /** This browser does not have the wallet. */
  | 'missing'
  /** The wallet is set to another network. */
  | 'elsewhere'
  | 'connecting'
  /** The wallet gave no access to its account, or the service could not read the account. */
  | 'refused'
  | 'reading'
  /** The account cannot pay. */
  | 'stuck'
  | 'choosing'
  | 'building'
  | 'reviewing'
  | 'signing'
  | 'submitting'
  /** The network may or may not have the payment. */
  | 'unsure';

/**
 * The next steps of each step. In `unsure`, the network may already have the payment. The only next step then submits
 * the same transaction again, so that the payer cannot pay twice.
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

/** One attempt to pay with a wallet. */
export interface WalletFlow {
  readonly context: CheckoutContext;
  readonly wallet: Wallet;
  /** The asset that the payment expects. */
  readonly option: CryptoAssetOption;
  readonly look: AssetLook;
  step: WalletStep;
  /** The last problem, shown until the next press. Text before `|` is bold. */
  remark: string;
  /** Name of the wallet's network. */
  theirs: string;
  address: string;
  holdings: readonly PayerHolding[];
  /** The asset that the payer has selected. */
  chosen: string;
  transaction: WalletTransaction | null;
  signed: string;
}

export function newFlow(
  context: CheckoutContext,
  wallet: Wallet,
  option: CryptoAssetOption,
  look: AssetLook,
): WalletFlow {
  return {
    context,
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
 * Goes to a step, with a remark after a failure, and announces the step. Returns false if the step may not follow,
 * because the payer left the flow during a call. The caller must then stop.
 */
export function enter(flow: WalletFlow, step: WalletStep, remark?: string): boolean {
  if (!walletMachine.can(flow.step, step)) return false;
  flow.step = step;
  if (remark) flow.remark = filledIn(flow, remark);
  // A remark is an alert, which screen readers announce without further help.
  announce(flow.context, remark ? '' : doing(flow));
  return true;
}

/** The sentence about the work in progress. Blank if the payer must act. */
export function doing(flow: WalletFlow): string {
  const { doing: sentences } = wordsOf(flow);
  return filledIn(flow, sentences[flow.step as keyof typeof sentences] ?? '');
}

/** Fills wallet, networks, account and asset into a sentence. */
export function filledIn(flow: WalletFlow, sentence: string): string {
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

/** Both amounts are texts of one asset. No chain's assets have more decimals. */
const comparedDecimals = 30;

/** Whether the holding can pay: there is a path, and the balance suffices even at the worst allowed price. */
export function isPayable({ balance, amount_max: atMost }: PayerHolding): boolean {
  const held = parseUnits(balance, comparedDecimals);
  const needed = atMost === null ? null : parseUnits(atMost, comparedDecimals);
  return held !== null && needed !== null && held >= needed;
}

/** Sorts holdings that can pay to the front, the expected asset first. */
export function payableFirst(holdings: readonly PayerHolding[], wanted: string): PayerHolding[] {
  const rank = (holding: PayerHolding) => (isPayable(holding) ? (holding.asset === wanted ? 0 : 1) : 2);
  return [...holdings].sort((one, other) => rank(one) - rank(other));
}
