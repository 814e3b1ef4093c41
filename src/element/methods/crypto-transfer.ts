import { html, nothing, type TemplateResult } from 'lit';
import type { CryptoTransfer } from '../../api/crypto.ts';
import { type CheckoutContext, isQuoteOver, localeOf, stateOf } from '../checkout-context.ts';
import { bars, note } from '../controls/controls.ts';
import { createRows, type Row } from '../controls/rows.ts';
import { createQrFigure, isPhone, waiting } from '../controls/transfer-parts.ts';
import { assetText } from '../money-text.ts';
import { say } from '../strings/en.ts';
import { codeOf, coin, cryptoWords } from './crypto-assets.ts';

type Rows = ReturnType<typeof createRows>;

/** State of the screen with the transfer's amount and address, kept between renders. */
export interface TransferScreen {
  readonly context: CheckoutContext;
  readonly rows: Rows;
  readonly otherRows: Rows;
  readonly code: ReturnType<typeof createQrFigure>;
  /** Whether the payer has tried to open a wallet app. */
  hasTriedApp: boolean;
  /** The last shown transfer and its quote. `before` is the last transfer of the previous quote. */
  shown?: CryptoTransfer;
  quote?: string | undefined;
  before?: CryptoTransfer | undefined;
}

export function createTransferScreen(context: CheckoutContext): TransferScreen {
  return {
    context,
    rows: createRows(context),
    otherRows: createRows(context),
    code: createQrFigure(context),
    hasTriedApp: false,
  };
}

/** The chosen asset, with a button to change it if there is a choice. */
export function payingWith(
  context: CheckoutContext,
  asset: string,
  chain: string,
  change: (() => void) | null,
): TemplateResult {
  const strings = cryptoWords(context);
  return html`<div class="paying">
    <span class="pill">${coin(asset)} ${say(strings.on, { code: codeOf(asset), chain })}</span>
    ${
      change
        ? html`<button class="plain" type="button" aria-label=${strings.changeWhat} @click=${change}>${strings.change}</button>`
        : nothing
    }
  </div>`;
}

/** Amount and address of the transfer, as QR code, link and text. */
export function transferView(screen: TransferScreen, transfer: CryptoTransfer, chain: string): TemplateResult {
  const strings = cryptoWords(screen.context);
  keep(screen, transfer);
  const steps = html`<div class="steps" part="steps">
    ${bars(1, strings.step)} ${waiting(strings.waiting, strings.leave)}
  </div>`;
  // The amount is outdated, so it is hidden while the button for a new rate is shown.
  if (isQuoteOver(screen.context)) return steps;
  const list = screen.rows(mainRows(screen, transfer), strings.shown);
  const code = transfer.qr ? figure(screen, transfer, transfer.qr.payload, chain) : nothing;
  return html`${lead(screen, transfer)} ${isPhone() ? appLink(screen, transfer, 'main') : code} ${list}
    ${byHand(screen, transfer)} ${isPhone() ? code : nothing} ${steps}`;
}

const amountText = ({ context }: TransferScreen, amount: string, asset: string) =>
  assetText(amount, asset, localeOf(context), 7);

/** Stores the shown transfer and its quote. */
function keep(screen: TransferScreen, transfer: CryptoTransfer): void {
  const quote = stateOf(screen.context).payment?.quote.id;
  if (quote !== screen.quote) Object.assign(screen, { before: screen.shown, quote });
  screen.shown = transfer;
}

/** The instruction for the payer. It names the old and the new amount if a new quote changed the amount. */
function lead(screen: TransferScreen, transfer: CryptoTransfer): TemplateResult {
  const { asset, amount, amount_received: received } = transfer;
  const strings = cryptoWords(screen.context);
  const { before } = screen;
  const isNew = before?.asset === asset && before.amount !== amount && before.amount_received === received;
  const send = isPhone() && linkOf(transfer) ? strings.sendByApp : strings.send;
  const sentence = isNew ? strings.renewed : Number(received) > 0 ? strings.rest : send;
  return note(
    say(sentence, {
      amount: amountText(screen, amount, asset),
      received: amountText(screen, received, asset),
      before: isNew ? amountText(screen, before.amount, asset) : '',
    }),
  );
}

function figure(screen: TransferScreen, transfer: CryptoTransfer, payload: string, chain: string): TemplateResult {
  const strings = cryptoWords(screen.context);
  const amount = amountText(screen, transfer.amount, transfer.asset);
  return html`<div class="large">${screen.code({
    payload,
    name: say(strings.code, { chain, amount }),
    caption: isPhone() ? strings.otherDevice : '',
    // A signed link is long. Level L makes the modules larger, and a screen needs no protection against damage.
    errorCorrection: 'L',
  })}</div>`;
}

/** The transfer's link if it opens a wallet (SEP-7). */
const linkOf = ({ uri }: CryptoTransfer) => (uri?.startsWith('web+stellar:') ? uri : null);

/** A link that opens a wallet app on this device, with advice in case no app opened. */
export function appLink(screen: TransferScreen, transfer: CryptoTransfer, look: 'main' | 'second'): unknown {
  const { context } = screen;
  const strings = cryptoWords(context);
  const href = linkOf(transfer);
  if (!href) return nothing;
  const press = () => {
    screen.hasTriedApp = true;
    context.element.requestUpdate();
  };
  return html`<a class=${look} part="button" href=${href} @click=${press}>${strings.app}</a>
    ${screen.hasTriedApp ? note(strings.notOpened, '', 'status') : nothing}`;
}

/** The amount without trailing zeros, because the payer may type it: `139.214` for `139.2140000`. */
const typed = (amount: string) => (amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount);

function mainRows(screen: TransferScreen, transfer: CryptoTransfer): Row[] {
  const strings = cryptoWords(screen.context);
  const { amount, asset, address, base_address: base } = transfer;
  return [
    { ...strings.amount, value: amountText(screen, amount, asset), copy: typed(amount) },
    { ...strings.address, value: address, copy: address, code: true },
    ...(base ? [] : memoRows(screen, transfer)),
  ];
}

function memoRows({ context }: TransferScreen, { memo, memo_type: type }: CryptoTransfer): Row[] {
  const { label, name } = cryptoWords(context).memo;
  return memo ? [{ label: say(label, { type: type ?? '' }), name, value: memo, copy: memo, code: true }] : [];
}

/** The base address with its memo, for wallets without muxed addresses (SEP-23), and the asset's issuer. */
function byHand(screen: TransferScreen, transfer: CryptoTransfer): unknown {
  const { base_address: base, memo, asset } = transfer;
  const [code = '', issuer] = asset.split(':');
  if (!base || !memo) return nothing;
  const strings = cryptoWords(screen.context);
  const { label, name } = strings.issuer;
  const list: Row[] = [
    { ...strings.base, value: base, copy: base, code: true },
    ...memoRows(screen, transfer),
    ...(issuer ? [{ label: say(label, { code }), name, value: issuer, copy: issuer, code: true }] : []),
  ];
  return html`<details>
    <summary>${strings.byHand}</summary>
    <p>${strings.byHandText}</p>
    ${screen.otherRows(list, strings.byHand)}
  </details>`;
}
