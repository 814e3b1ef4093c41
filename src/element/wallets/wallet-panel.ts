import { html, nothing, type TemplateResult } from 'lit';
import type { CryptoAssetOption, CryptoTransfer, PayerHolding } from '../../api/crypto.ts';
import { type CheckoutContext, localeOf } from '../checkout-context.ts';
import { focusOn, note, plainButton } from '../controls/controls.ts';
import { createRows, type Row } from '../controls/rows.ts';
import type { AssetLook } from '../methods/crypto-assets.ts';
import { assetText } from '../money-text.ts';
import { say } from '../strings/en.ts';
import type { Wallet, WalletPanel } from './wallet.ts';
import {
  doing,
  enter,
  filledIn,
  isPayable,
  newFlow,
  type WalletFlow,
  type WalletStep,
  wordsOf,
} from './wallet-flow.ts';
import { build, look, sign, submit } from './wallet-steps.ts';

/** The awaited transfer and its asset. */
export interface WalletOrder {
  readonly option: CryptoAssetOption;
  readonly transfer: CryptoTransfer;
  readonly look: AssetLook;
}

/** Steps during which the QR code stays visible as an alternative. */
const besideCode: readonly WalletStep[] = ['looking', 'missing', 'elsewhere', 'connecting', 'refused', 'stuck'];

/** Whether the QR code stays visible: in the steps of `besideCode`, and until the holdings are read. */
const isBesideCode = ({ step, holdings: { length } }: WalletFlow) =>
  besideCode.includes(step) || (step === 'reading' && length === 0);

const committed: readonly WalletStep[] = ['signing', 'submitting', 'unsure'];

export function createWalletPanel(
  context: CheckoutContext,
  wallet: Wallet,
  { option, transfer, look: assetLook }: WalletOrder,
): WalletPanel {
  const flow = newFlow(context, wallet, option, assetLook);
  const draw = createDrawings(flow, transfer);
  return {
    open: () => look(flow),
    serves: ({ asset, amount }) =>
      committed.includes(flow.step) ||
      (flow.step !== 'closed' && asset === transfer.asset && amount === transfer.amount),
    isInFront: () => !isBesideCode(flow),
    isBusy: () => doing(flow) !== '',
    isCommitted: () => committed.includes(flow.step),
    render: () => html`${remark(flow)} ${draw[flow.step]?.()}`,
    action: () => doing(flow) || filledIn(flow, actionOf(flow)),
    press: () => press(flow),
    below: () => below(flow),
    close: () => void enter(flow, 'closed'),
  };
}

const actions: Partial<Record<WalletStep, (flow: WalletFlow) => Promise<void>>> = { reviewing: sign, unsure: submit };

/** Label of the button. */
function actionOf(flow: WalletFlow): string {
  const strings = wordsOf(flow);
  if (flow.step === 'reviewing') return strings.sign;
  if (flow.step === 'unsure') return strings.check;
  return canGoOn(flow) ? strings.next : strings.again;
}

const canGoOn = ({ step, holdings }: WalletFlow) => step === 'choosing' && holdings.some(isPayable);

async function press(flow: WalletFlow): Promise<void> {
  flow.remark = '';
  await (actions[flow.step] ?? (canGoOn(flow) ? build : look))(flow);
}

function remark(flow: WalletFlow): unknown {
  if (!flow.remark) return nothing;
  return html`${note(flow.remark, 'warn', 'alert')}
    ${
      flow.step === 'missing'
        ? html`<a class="second" href=${flow.wallet.home} target="_blank" rel="noopener">${filledIn(flow, wordsOf(flow).get)}</a>`
        : nothing
    }`;
}

/**
 * A button to stop waiting or to go back to the QR code. `nothing` while the network may have the payment. Undefined if
 * the tab shall show its own content.
 */
function below(flow: WalletFlow): unknown {
  const isBeside = isBesideCode(flow);
  if (flow.step === 'submitting' || flow.step === 'unsure') return nothing;
  if (isBeside && !doing(flow)) return undefined;
  return plainButton(filledIn(flow, isBeside ? wordsOf(flow).stop : wordsOf(flow).back), async () => {
    enter(flow, 'closed');
    await flow.context.element.updateComplete;
    focusOn(flow.context, '.main');
  });
}

/** Renders the content of each step, without the remark. */
function createDrawings(flow: WalletFlow, transfer: CryptoTransfer): Partial<Record<WalletStep, () => unknown>> {
  const rows = createRows(flow.context);
  const choose = () => holdings(flow, amountOf(flow, transfer.amount, transfer.asset));
  const look = () => review(flow, rows);
  return { reading: choose, choosing: choose, building: choose, reviewing: look, signing: look, submitting: look };
}

const amountOf = ({ context }: WalletFlow, amount: string, asset: string) =>
  assetText(amount, asset, localeOf(context), 7);

function holdings(flow: WalletFlow, amount: string): unknown {
  if (!flow.holdings.length) return nothing;
  const strings = wordsOf(flow);
  return html`<fieldset class="coins">
    <legend>${say(strings.choose, { amount })} <small>${filledIn(flow, strings.account)}</small></legend>
    ${flow.holdings.map(holding => choice(flow, holding))}
  </fieldset>`;
}

function choice(flow: WalletFlow, holding: PayerHolding): TemplateResult {
  const { asset, amount } = holding;
  const strings = wordsOf(flow);
  const isPossible = isPayable(holding);
  const says = isPossible ? strings.balance : amount === null ? strings.noWay : strings.tooLittle;
  const mark = () => {
    flow.chosen = asset;
    flow.context.element.requestUpdate();
  };
  return html`<label class="choice">
    <input type="radio" name="holding" ?disabled=${!isPossible} .checked=${asset === flow.chosen} @change=${mark} />
    ${flow.look.coin(asset)}
    <span>${flow.look.codeOf(asset)}<small>${say(says, { balance: roughly(flow, holding.balance, '') })}</small></span>
    ${amount === null ? nothing : html`<b>${say(strings.about, { amount: roughly(flow, amount, '') })}</b>`}
  </label>`;
}

/** The amount with two decimals, which are enough to choose. An amount below 1 keeps all decimals. */
const roughly = (flow: WalletFlow, amount: string, asset: string) =>
  assetText(amount, asset, localeOf(flow.context), Number(amount) < 1 ? 7 : 2).trim();

function review(flow: WalletFlow, rows: ReturnType<typeof createRows>): unknown {
  const { transaction, option } = flow;
  if (!transaction) return nothing;
  const strings = wordsOf(flow);
  const { asset, path, destination_asset: wanted } = transaction;
  const amount = amountOf(flow, transaction.amount, asset);
  const max = amountOf(flow, transaction.amount_max, asset);
  const isExchange = asset !== wanted;
  const sentence = isExchange ? strings.review : strings.reviewExact;
  const list: Row[] = [
    { label: strings.arrives, value: amountOf(flow, transaction.destination_amount, wanted) },
    ...(isExchange
      ? [{ label: strings.route, value: [asset, ...path, wanted].map(flow.look.codeOf).join(' → ') }]
      : []),
    { label: strings.fee, value: amountOf(flow, option.network_fee, 'XLM') },
    { label: strings.from, value: transaction.address, code: true },
  ];
  const slippage = Number(transaction.slippage_percent).toLocaleString(localeOf(flow.context));
  const values = { amount, max, slippage };
  return html`${note(say(sentence, values))} ${rows(list, strings.details)}`;
}
