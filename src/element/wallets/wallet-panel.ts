import { html, nothing, type TemplateResult } from 'lit';
import type { CryptoAssetOption, CryptoTransfer, PayerHolding } from '../../api/crypto.ts';
import { type Desk, localeOf } from '../desk.ts';
import type { AssetLook } from '../methods/crypto-assets.ts';
import { assetText } from '../money-text.ts';
import { focusOn, note, plainButton } from '../parts/furniture.ts';
import { createRows, type Row } from '../parts/rows.ts';
import { say } from '../strings/en.ts';
import { isPayable } from './holdings.ts';
import type { Wallet, WalletPanel } from './wallet.ts';
import { doing, go, newFlow, told, type WalletFlow, type WalletStep, wordsOf } from './wallet-flow.ts';
import { build, look, sign, submit } from './wallet-steps.ts';

/** What the panel is for: the asset and the amount that are waited for. */
export interface WalletOrder {
  readonly option: CryptoAssetOption;
  readonly transfer: CryptoTransfer;
  readonly look: AssetLook;
}

/** Steps at which the code stays in sight, as the next best way. */
const besideCode: readonly WalletStep[] = ['looking', 'missing', 'elsewhere', 'connecting', 'refused', 'stuck'];

/** Whether it does; it also stays until there is something to show in its place. */
const isBesideCode = ({ step, holdings: { length } }: WalletFlow) =>
  besideCode.includes(step) || (step === 'reading' && length === 0);

const committed: readonly WalletStep[] = ['signing', 'submitting', 'unsure'];

/** Paying with the wallet. */
export function createWalletPanel(
  desk: Desk,
  wallet: Wallet,
  { option, transfer, look: assetLook }: WalletOrder,
): WalletPanel {
  const flow = newFlow(desk, wallet, option, assetLook);
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
    action: () => doing(flow) || told(flow, actionOf(flow)),
    press: () => press(flow),
    below: () => below(flow),
    close: () => void go(flow, 'closed'),
  };
}

const deeds: Partial<Record<WalletStep, (flow: WalletFlow) => Promise<void>>> = { reviewing: sign, unsure: submit };

/** What the next press does, in words. */
function actionOf(flow: WalletFlow): string {
  const strings = wordsOf(flow);
  if (flow.step === 'reviewing') return strings.sign;
  if (flow.step === 'unsure') return strings.check;
  return canGoOn(flow) ? strings.next : strings.again;
}

const canGoOn = ({ step, holdings }: WalletFlow) => step === 'choosing' && holdings.some(isPayable);

async function press(flow: WalletFlow): Promise<void> {
  flow.remark = '';
  await (deeds[flow.step] ?? (canGoOn(flow) ? build : look))(flow);
}

function remark(flow: WalletFlow): unknown {
  if (!flow.remark) return nothing;
  return html`${note(flow.remark, 'warn', 'alert')}
    ${
      flow.step === 'missing'
        ? html`<a class="second" href=${flow.wallet.home} target="_blank" rel="noopener">${told(flow, wordsOf(flow).get)}</a>`
        : nothing
    }`;
}

/** A way out of waiting, and back to the code where it is not shown; none while the payment may be on its way. */
function below(flow: WalletFlow): unknown {
  const isBeside = isBesideCode(flow);
  if (flow.step === 'submitting' || flow.step === 'unsure') return nothing;
  if (isBeside && !doing(flow)) return undefined;
  return plainButton(told(flow, isBeside ? wordsOf(flow).stop : wordsOf(flow).back), async () => {
    go(flow, 'closed');
    await flow.desk.element.updateComplete;
    focusOn(flow.desk, '.main');
  });
}

/** What is shown at a step besides the remark. */
function createDrawings(flow: WalletFlow, transfer: CryptoTransfer): Partial<Record<WalletStep, () => unknown>> {
  const rows = createRows(flow.desk);
  const choose = () => holdings(flow, amountOf(flow, transfer.amount, transfer.asset));
  const look = () => review(flow, rows);
  return { reading: choose, choosing: choose, building: choose, reviewing: look, signing: look, submitting: look };
}

const amountOf = ({ desk }: WalletFlow, amount: string, asset: string) => assetText(amount, asset, localeOf(desk), 7);

function holdings(flow: WalletFlow, amount: string): unknown {
  if (!flow.holdings.length) return nothing;
  const strings = wordsOf(flow);
  return html`<fieldset class="coins">
    <legend>${say(strings.choose, { amount })} <small>${told(flow, strings.account)}</small></legend>
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
    flow.desk.element.requestUpdate();
  };
  return html`<label class="choice">
    <input type="radio" name="holding" ?disabled=${!isPossible} .checked=${asset === flow.chosen} @change=${mark} />
    ${flow.look.coin(asset)}
    <span>${flow.look.codeOf(asset)}<small>${say(says, { balance: roughly(flow, holding.balance, '') })}</small></span>
    ${amount === null ? nothing : html`<b>${say(strings.about, { amount: roughly(flow, amount, '') })}</b>`}
  </label>`;
}

/** Without decimals that nobody chooses by; those of small amounts stay. */
const roughly = (flow: WalletFlow, amount: string, asset: string) =>
  assetText(amount, asset, localeOf(flow.desk), Number(amount) < 1 ? 7 : 2).trim();

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
  const slippage = Number(transaction.slippage_percent).toLocaleString(localeOf(flow.desk));
  const values = { amount, max, slippage };
  return html`${note(say(sentence, values))} ${rows(list, strings.details)}`;
}
