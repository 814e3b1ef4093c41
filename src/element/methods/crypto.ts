import { html, nothing, type TemplateResult } from 'lit';
import type { CryptoTransfer } from '../../api/crypto.ts';
import type { CheckoutState } from '../checkout-store.ts';
import { qrCode } from '../chunks.ts';
import { announce, type Desk, dispatch, stateOf } from '../desk.ts';
import { remember } from '../memory.ts';
import { focusOn, note } from '../parts/furniture.ts';
import { isPhone } from '../parts/qr-figure.ts';
import { say } from '../strings/en.ts';
import type { View } from '../view-rack.ts';
import type { WalletPanel } from '../wallets/wallet.ts';
import { styles } from './crypto.styles.ts';
import { assetLook, codeOf } from './crypto-assets.ts';
import { assetsOf, choosing, chosenAsset, cryptoWords, feeText, keyOf } from './crypto-choice.ts';
import { walletChunks } from './crypto-chunks.ts';
import { appLink, createTransferScreen, payingWith, type TransferScreen, transferView } from './crypto-transfer.ts';

export { styles };

interface CryptoTab {
  readonly desk: Desk;
  readonly screen: TransferScreen;
  /** The asset that the payer has marked. */
  chosen: string;
  /** The payer wants another asset than the one that is waited for. */
  isChoosing: boolean;
  wallet: WalletPanel | 'loading' | 'failed' | undefined;
}

/** The crypto tab: which asset, then what to send where, by code, by hand or by a wallet in this browser. */
export function createView(desk: Desk): View {
  const tab: CryptoTab = {
    desk,
    screen: createTransferScreen(desk),
    chosen: '',
    isChoosing: false,
    wallet: undefined,
  };
  return {
    render(state) {
      const transfer = transferOf(tab, state);
      return transfer ? paying(tab, state, transfer) : choice(tab, state);
    },
    action(state) {
      const transfer = transferOf(tab, state);
      const asset = chosenOf(tab, state);
      if (!transfer) return asset ? say(cryptoWords(desk).next, { code: codeOf(asset.asset) }) : null;
      if (!hasWallet(state, transfer)) return null;
      return panelOf(tab, transfer)?.action() ?? cryptoWords(desk).pay;
    },
    isBusy: () => tab.wallet === 'loading' || (typeof tab.wallet === 'object' && tab.wallet.isBusy()),
    below(state) {
      const transfer = transferOf(tab, state);
      if (!transfer) return nothing;
      return panelOf(tab, transfer)?.below() ?? (isPhone() ? nothing : appLink(tab.screen, transfer, 'second'));
    },
    confirm: () => (transferOf(tab, stateOf(desk)) ? payByWallet(tab) : start(tab)),
    dispose: () => close(tab),
  };
}

/** The wallet at work, unless the payment wants something else by now. */
const panelOf = ({ wallet }: CryptoTab, transfer: CryptoTransfer): WalletPanel | undefined =>
  typeof wallet === 'object' && wallet.serves(transfer) ? wallet : undefined;

const chosenOf = ({ chosen }: CryptoTab, state: CheckoutState) => chosenAsset(assetsOf(state), chosen);

function transferOf({ isChoosing }: CryptoTab, { payment }: CheckoutState): CryptoTransfer | null {
  return payment?.next_action?.type === 'crypto_transfer' && !isChoosing ? payment.next_action : null;
}

const optionOf = (state: CheckoutState, transfer: CryptoTransfer) =>
  assetsOf(state).find(asset => keyOf(asset) === keyOf(transfer));

/** Extensions are for browsers with room for them. */
const hasWallet = (state: CheckoutState, transfer: CryptoTransfer) =>
  !isPhone() && Boolean(optionOf(state, transfer)?.wallets.includes('freighter'));

function choice(tab: CryptoTab, state: CheckoutState): unknown {
  return choosing(tab.desk, assetsOf(state), chosenOf(tab, state), asset => {
    tab.chosen = keyOf(asset);
    announce(tab.desk, feeText(tab.desk, asset));
  });
}

/** Asks the service where to send the marked asset, with the drawing of the code fetched meanwhile. */
async function start(tab: CryptoTab): Promise<void> {
  const { desk } = tab;
  const asset = chosenOf(tab, stateOf(desk));
  if (!asset) return;
  qrCode().catch(() => undefined);
  await dispatch(desk, { type: 'confirm', body: { method: 'crypto', chain: asset.chain, asset: asset.asset } });
  if (stateOf(desk).problem) return;
  remember('localStorage', 'asset', keyOf(asset));
  tab.isChoosing = false;
  announce(desk, cryptoWords(desk).shown);
  desk.element.requestUpdate();
  await desk.element.updateComplete;
  focusOn(desk, '#panel-crypto .rows button');
}

function paying(tab: CryptoTab, state: CheckoutState, transfer: CryptoTransfer): TemplateResult {
  const panel = panelOf(tab, transfer);
  const chain = optionOf(state, transfer)?.chain_name ?? transfer.chain;
  const isFree = assetsOf(state).length > 1 && !panel?.isCommitted();
  return html`${payingWith(tab.desk, transfer.asset, chain, isFree ? () => void change(tab, transfer) : null)}
    ${panel?.isInFront() ? nothing : transferView(tab.screen, transfer, chain)} ${panel?.render()}
    ${tab.wallet === 'failed' ? note(tab.desk.strings.unloaded, 'bad', 'alert') : nothing}`;
}

/** Back to the list. What was waited for still counts when it comes. */
async function change(tab: CryptoTab, transfer: CryptoTransfer): Promise<void> {
  const { desk } = tab;
  close(tab);
  Object.assign(tab, { isChoosing: true, chosen: keyOf(transfer) });
  desk.element.requestUpdate();
  await desk.element.updateComplete;
  focusOn(desk, '#panel-crypto :checked');
}

function close({ wallet }: CryptoTab): void {
  if (typeof wallet === 'object') wallet.close();
}

/** Does the next step with the wallet; the first press fetches what that takes. */
async function payByWallet(tab: CryptoTab): Promise<void> {
  const { desk } = tab;
  const transfer = transferOf(tab, stateOf(desk));
  const option = transfer && optionOf(stateOf(desk), transfer);
  if (!option) return;
  const panel = panelOf(tab, transfer);
  if (panel) return await panel.press();
  tab.wallet = 'loading';
  desk.element.requestUpdate();
  try {
    const [{ createWalletPanel }, { freighter }] = await walletChunks();
    tab.wallet = createWalletPanel(desk, freighter, { option, transfer, look: assetLook });
    await tab.wallet.open();
  } catch {
    tab.wallet = 'failed';
    desk.element.requestUpdate();
  }
}
