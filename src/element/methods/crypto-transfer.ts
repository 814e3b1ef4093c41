import { html, nothing, type TemplateResult } from 'lit';
import type { CryptoTransfer } from '../../api/crypto.ts';
import { type Desk, isQuoteOver, localeOf, stateOf } from '../desk.ts';
import { assetText } from '../money-text.ts';
import { bars, note } from '../parts/furniture.ts';
import { createQrFigure, isPhone } from '../parts/qr-figure.ts';
import { createRows, type Row } from '../parts/rows.ts';
import { waiting } from '../parts/waiting.ts';
import { say } from '../strings/en.ts';
import { codeOf, coin } from './crypto-assets.ts';
import { cryptoWords } from './crypto-choice.ts';

type Rows = ReturnType<typeof createRows>;

/** What the screen that says what to send where keeps from one drawing to the next. */
export interface TransferScreen {
  readonly desk: Desk;
  readonly rows: Rows;
  readonly otherRows: Rows;
  readonly code: ReturnType<typeof createQrFigure>;
  /** The payer has tried to open a wallet app. */
  hasTriedApp: boolean;
  /** What was shown last, under which quote, and last under the quote before. */
  shown?: CryptoTransfer;
  quote?: string | undefined;
  before?: CryptoTransfer | undefined;
}

/** A screen for one payment. */
export function createTransferScreen(desk: Desk): TransferScreen {
  return { desk, rows: createRows(desk), otherRows: createRows(desk), code: createQrFigure(desk), hasTriedApp: false };
}

/** What is paid with, and the way to something else; no way where there is no choice. */
export function payingWith(desk: Desk, asset: string, chain: string, change: (() => void) | null): TemplateResult {
  const strings = cryptoWords(desk);
  return html`<div class="paying">
    <span class="pill">${coin(asset)} ${say(strings.on, { code: codeOf(asset), chain })}</span>
    ${
      change
        ? html`<button class="plain" type="button" aria-label=${strings.changeWhat} @click=${change}>${strings.change}</button>`
        : nothing
    }
  </div>`;
}

/** What to send and where to: by code, by link, by hand. */
export function transferView(screen: TransferScreen, transfer: CryptoTransfer, chain: string): TemplateResult {
  const strings = cryptoWords(screen.desk);
  keep(screen, transfer);
  const steps = html`<div class="steps" part="steps">
    ${bars(1, strings.step)} ${waiting(strings.waiting, strings.leave)}
  </div>`;
  // What is no longer to be sent must not stand beside the way to what is.
  if (isQuoteOver(screen.desk)) return steps;
  const list = screen.rows(mainRows(screen, transfer), strings.shown);
  const code = transfer.qr ? figure(screen, transfer, transfer.qr.payload, chain) : nothing;
  return html`${lead(screen, transfer)} ${isPhone() ? appLink(screen, transfer, 'main') : code} ${list}
    ${byHand(screen, transfer)} ${isPhone() ? code : nothing} ${steps}`;
}

const amountText = ({ desk }: TransferScreen, amount: string, asset: string) =>
  assetText(amount, asset, localeOf(desk), 7);

/** Notes what is shown under which quote. */
function keep(screen: TransferScreen, transfer: CryptoTransfer): void {
  const quote = stateOf(screen.desk).payment?.quote.id;
  if (quote !== screen.quote) Object.assign(screen, { before: screen.shown, quote });
  screen.shown = transfer;
}

/** What to do; a payer who has read an amount is told when a new quote asks for another. */
function lead(screen: TransferScreen, transfer: CryptoTransfer): TemplateResult {
  const { asset, amount, amount_received: received } = transfer;
  const strings = cryptoWords(screen.desk);
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
  const strings = cryptoWords(screen.desk);
  const amount = amountText(screen, transfer.amount, transfer.asset);
  return html`<div class="large">${screen.code({
    payload,
    name: say(strings.code, { chain, amount }),
    caption: isPhone() ? strings.otherDevice : '',
    // A signed link is long: fewer and larger modules are read more easily from a screen, which is never torn.
    errorCorrection: 'L',
  })}</div>`;
}

/** Only a link of the kind that wallets answer to (SEP-7). */
const linkOf = ({ uri }: CryptoTransfer) => (uri?.startsWith('web+stellar:') ? uri : null);

/** The way into a wallet app of this device; what to do where none answers. */
export function appLink(screen: TransferScreen, transfer: CryptoTransfer, look: 'main' | 'second'): unknown {
  const { desk } = screen;
  const strings = cryptoWords(desk);
  const href = linkOf(transfer);
  if (!href) return nothing;
  const press = () => {
    screen.hasTriedApp = true;
    desk.element.requestUpdate();
  };
  return html`<a class=${look} part="button" href=${href} @click=${press}>${strings.app}</a>
    ${screen.hasTriedApp ? note(strings.notOpened, '', 'status') : nothing}`;
}

/** `139.214` of `139.2140000`: without noughts that somebody would have to type. */
const typed = (amount: string) => (amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount);

function mainRows(screen: TransferScreen, transfer: CryptoTransfer): Row[] {
  const strings = cryptoWords(screen.desk);
  const { amount, asset, address, base_address: base } = transfer;
  return [
    { ...strings.amount, value: amountText(screen, amount, asset), copy: typed(amount) },
    { ...strings.address, value: address, copy: address, code: true },
    ...(base ? [] : memoRows(screen, transfer)),
  ];
}

function memoRows({ desk }: TransferScreen, { memo, memo_type: type }: CryptoTransfer): Row[] {
  const { label, name } = cryptoWords(desk).memo;
  return memo ? [{ label: say(label, { type: type ?? '' }), name, value: memo, copy: memo, code: true }] : [];
}

/** For wallets that do not know muxed addresses (SEP-23), and for whoever wants to be sure of the asset. */
function byHand(screen: TransferScreen, transfer: CryptoTransfer): unknown {
  const { base_address: base, memo, asset } = transfer;
  const [code = '', issuer] = asset.split(':');
  if (!base || !memo) return nothing;
  const strings = cryptoWords(screen.desk);
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
