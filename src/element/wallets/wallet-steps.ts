import type { CreateWalletTransaction, SubmitWalletTransaction, WalletTransaction } from '../../api/crypto.ts';
import type { Payment, PaymentOptions } from '../../api/payment.ts';
import { stateOf, storeOf } from '../checkout-context.ts';
import type { Seen } from '../state/checkout-api.ts';
import type { Problem } from '../state/checkout-state.ts';
import type { walletStrings } from '../strings/en/wallet.ts';
import { enter, isPayable, payableFirst, type WalletFlow, type WalletStep, wordsOf } from './wallet-flow.ts';

/** Finds the wallet, connects to it and reads the account's holdings. */
export async function look(flow: WalletFlow): Promise<void> {
  const { wallet } = flow;
  const strings = wordsOf(flow);
  if (!enter(flow, 'looking')) return;
  try {
    if (!(await wallet.detect())) return void enter(flow, 'missing', strings.missing);
    if (!(await isOnOurNetwork(flow)) || !enter(flow, 'connecting')) return;
    flow.address = await wallet.connect();
  } catch (error) {
    return void enter(flow, 'refused', isRejection(error) ? strings.refused : strings.silent);
  }
  if (enter(flow, 'reading')) await read(flow);
}

/** Checks the error's code and not its class, because the class is in another chunk. */
const isRejection = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'rejected';

/** Whether the wallet is on our network. Compares passphrases. On another network, the panel explains how to switch. */
async function isOnOurNetwork(flow: WalletFlow): Promise<boolean> {
  const { name, passphrase } = await flow.wallet.network();
  if (passphrase === flow.option.network_passphrase) return true;
  flow.theirs = name || passphrase;
  enter(flow, 'elsewhere', wordsOf(flow).elsewhere);
  return false;
}

/**
 * Reads the account's holdings and selects the first that can pay. If no other can pay and there is no remark, builds
 * its transaction.
 */
async function read(flow: WalletFlow): Promise<void> {
  const strings = wordsOf(flow);
  const path = `/options?payer_address=${encodeURIComponent(flow.address)}`;
  const { value } = await callService<PaymentOptions>(flow, path);
  const known = value?.crypto?.wallet;
  if (!known) return void enter(flow, 'refused', strings.unread);
  if (known.problem) return void enter(flow, 'stuck', strings.accounts[known.problem]);
  flow.holdings = payableFirst(known.assets, flow.option.asset);
  const [first, second] = flow.holdings.filter(isPayable);
  flow.chosen = first?.asset ?? '';
  if (first && !second && !flow.remark) await build(flow);
  else enter(flow, 'choosing', first ? undefined : strings.nothing);
}

/** Prepares the transaction for the selected holding. */
export async function build(flow: WalletFlow): Promise<void> {
  if (enter(flow, 'building')) await prepare(flow);
}

/** Requests the transaction from the service, for review and signature. */
async function prepare(flow: WalletFlow): Promise<void> {
  const { option, address, chosen: asset } = flow;
  const body: CreateWalletTransaction = { chain: option.chain, address, asset };
  const { value, problem } = await callService<WalletTransaction>(flow, '/wallet_transactions', body);
  if (value) {
    flow.transaction = value;
    enter(flow, 'reviewing');
  } else {
    enter(flow, problem.code === 'stellar_account_missing' ? 'stuck' : 'choosing', sentenceOf(flow, problem));
  }
}

/** Checks the wallet's network again, lets the wallet sign the transaction, and submits it. */
export async function sign(flow: WalletFlow): Promise<void> {
  const { wallet, transaction, address } = flow;
  const strings = wordsOf(flow);
  if (!transaction || !enter(flow, 'signing')) return;
  try {
    if (!(await isOnOurNetwork(flow))) return;
    const signer = { address, networkPassphrase: transaction.network_passphrase ?? '' };
    flow.signed = await wallet.sign(transaction.envelope_xdr, signer);
  } catch (error) {
    return void enter(flow, 'reviewing', isRejection(error) ? strings.rejected : strings.unsigned);
  }
  await submit(flow);
}

type Refusal = keyof typeof walletStrings.problems;

/** The step after a refusal by the service, by error code. */
const afterRefusal: Readonly<Record<Refusal, WalletStep>> = {
  wallet_transaction_changed: 'reviewing',
  stellar_bad_signature: 'reviewing',
  wallet_transaction_expired: 'building',
  stellar_price_moved: 'building',
  stellar_no_trustline: 'reading',
  stellar_underfunded: 'reading',
  stellar_no_path: 'reading',
  stellar_account_missing: 'stuck',
};

const isRefusal = (code: string): code is Refusal => code in afterRefusal;

/** Submits the signed transaction. Repetitions are safe, because the network executes a transaction only once. */
export async function submit(flow: WalletFlow): Promise<void> {
  const { transaction, signed } = flow;
  if (!transaction || !enter(flow, 'submitting')) return;
  const body: SubmitWalletTransaction = { signed_envelope_xdr: signed };
  const { value, problem } = await callService<Payment>(
    flow,
    `/wallet_transactions/${transaction.id}/submit`,
    body,
    true,
  );
  // The checkout now shows the payment's progress.
  if (value) return void enter(flow, 'closed');
  const { code } = problem;
  if (isUnknown(problem)) return void enter(flow, 'unsure', wordsOf(flow).unsure);
  const next = isRefusal(code) ? afterRefusal[code] : 'reviewing';
  if (!enter(flow, next, sentenceOf(flow, problem))) return;
  if (next === 'reading') await read(flow);
  if (next === 'building') await prepare(flow);
}

/** Whether the network may have the payment, although the service reported an error or did not answer. */
const isUnknown = ({ code, status }: Problem) =>
  status === 0 || status >= 500 || code === 'stellar_timeout' || code === 'idempotency_in_progress';

function sentenceOf(flow: WalletFlow, { code }: Problem): string {
  const { problems, failed } = wordsOf(flow);
  return isRefusal(code) ? problems[code] : failed;
}

type Answer<T> =
  | { readonly value: T; readonly problem?: never }
  | { readonly value?: never; readonly problem: Problem };

/** Calls the service. With `isPayment`, the answer is the payment, and the store stores it. */
async function callService<T>(
  { context }: WalletFlow,
  path: string,
  body?: object,
  isPayment = false,
): Promise<Answer<T>> {
  let value: T | undefined;
  await storeOf(context)?.ask(async (api, handle) => {
    const seen = await api.ask<T>(handle, path, body);
    value = seen.value;
    return isPayment ? (seen as Seen<Payment>) : undefined;
  });
  return value === undefined ? { problem: stateOf(context).problem ?? unasked } : { value };
}

/** The problem if the store was busy with another task. */
const unasked: Problem = { code: 'unexpected', message: '', status: 409 };
