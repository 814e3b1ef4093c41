import { css, html, nothing, type TemplateResult } from 'lit';
import type { CryptoTransfer } from '../../api/crypto.ts';
import { announce, type CheckoutContext, localeOf, stateOf, storeOf, type View } from '../checkout-context.ts';
import { focusOn, note } from '../controls/controls.ts';
import { rowStyles } from '../controls/rows.ts';
import { isPhone, transferStyles } from '../controls/transfer-parts.ts';
import { assetText } from '../money-text.ts';
import { remember } from '../state/browser-storage.ts';
import type { CheckoutState } from '../state/checkout-state.ts';
import { say } from '../strings/en.ts';
import type { WalletPanel } from '../wallets/wallet.ts';
import { assetLook, assetsOf, choosing, chosenAsset, codeOf, cryptoWords, feeText, keyOf } from './crypto-assets.ts';
import { appLink, createTransferScreen, payingWith, type TransferScreen, transferView } from './crypto-transfer.ts';

export const styles = css`
  ${rowStyles}
  ${transferStyles}
  .coins .choice {
    position: relative;
  }
  .coins input {
    position: absolute;
    opacity: 0;
  }
  .coins .choice:has(:disabled) {
    border-style: dashed;
    color: var(--ink3);
    cursor: default;
  }
  .coin {
    inline-size: 32px;
    block-size: 32px;
    fill: #fff;
    stroke: none;
    font: 700 15px system-ui, sans-serif;
    text-anchor: middle;
    direction: ltr;
  }
  .coins span {
    flex-basis: 5em;
  }
  legend small {
    display: block;
  }
  .paying {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
    align-items: center;
    justify-content: space-between;
  }
  .pill {
    display: flex;
    gap: 8px;
    align-items: center;
    padding-block: 5px;
    padding-inline: 5px 14px;
    border: 1px solid var(--line);
    border-radius: calc(var(--round) * 2);
    font-weight: 500;
  }
  .large .qr {
    inline-size: 264px;
  }
  .fine,
  legend small,
  details p {
    color: var(--ink3);
    font-size: 0.867em;
  }
  summary {
    padding-block: 11px;
    color: var(--ink2);
    cursor: pointer;
  }
  details .rows {
    margin-block-start: 10px;
  }
  @media (forced-colors: active) {
    .coins .choice:has(:checked) {
      outline: 3px solid Highlight;
    }
  }
`;

/** Chunks that are loaded when the payer first presses the wallet button. */
const walletChunks = () => Promise.all([import('../wallets/wallet-panel.ts'), import('../wallets/freighter.ts')]);

interface CryptoTab {
  readonly context: CheckoutContext;
  readonly screen: TransferScreen;
  /** The asset that the payer has selected. */
  chosen: string;
  /** Whether the payer wants to replace the awaited asset. */
  isChoosing: boolean;
  wallet: WalletPanel | 'loading' | 'failed' | undefined;
}

/** The crypto tab. The payer chooses an asset and sends it by QR code, by hand or by a wallet in this browser. */
export function createView(context: CheckoutContext): View {
  const tab: CryptoTab = {
    context,
    screen: createTransferScreen(context),
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
      if (!transfer) return asset ? say(cryptoWords(context).next, { code: codeOf(asset.asset) }) : null;
      if (!hasWallet(state, transfer)) return null;
      return panelOf(tab, transfer)?.action() ?? cryptoWords(context).pay;
    },
    quoted(state) {
      const asked = transferOf(tab, state) ?? chosenOf(tab, state);
      return asked ? assetText(asked.amount, asked.asset, localeOf(context), 7) : null;
    },
    isBusy: () => tab.wallet === 'loading' || (typeof tab.wallet === 'object' && tab.wallet.isBusy()),
    below(state) {
      const transfer = transferOf(tab, state);
      if (!transfer) return nothing;
      return panelOf(tab, transfer)?.below() ?? (isPhone() ? nothing : appLink(tab.screen, transfer, 'second'));
    },
    confirm: () => (transferOf(tab, stateOf(context)) ? payByWallet(tab) : start(tab)),
    dispose: () => close(tab),
  };
}

/** The wallet's panel. Undefined if it is not open, or if the payment now expects another transfer. */
const panelOf = ({ wallet }: CryptoTab, transfer: CryptoTransfer): WalletPanel | undefined =>
  typeof wallet === 'object' && wallet.serves(transfer) ? wallet : undefined;

const chosenOf = ({ chosen }: CryptoTab, state: CheckoutState) => chosenAsset(assetsOf(state), chosen);

function transferOf({ isChoosing }: CryptoTab, { payment }: CheckoutState): CryptoTransfer | null {
  return payment?.next_action?.type === 'crypto_transfer' && !isChoosing ? payment.next_action : null;
}

const optionOf = (state: CheckoutState, transfer: CryptoTransfer) =>
  assetsOf(state).find(asset => keyOf(asset) === keyOf(transfer));

/** Whether to offer the wallet extension. Phone browsers have none. */
const hasWallet = (state: CheckoutState, transfer: CryptoTransfer) =>
  !isPhone() && Boolean(optionOf(state, transfer)?.wallets.includes('freighter'));

function choice(tab: CryptoTab, state: CheckoutState): unknown {
  return choosing(tab.context, assetsOf(state), chosenOf(tab, state), asset => {
    tab.chosen = keyOf(asset);
    announce(tab.context, feeText(tab.context, asset));
  });
}

/** Confirms the selected asset to get the address, and loads the QR code's chunk at the same time. */
async function start(tab: CryptoTab): Promise<void> {
  const { context } = tab;
  const asset = chosenOf(tab, stateOf(context));
  if (!asset) return;
  context.chunks.qrCode().catch(() => undefined);
  await storeOf(context)?.confirm({ method: 'crypto', chain: asset.chain, asset: asset.asset });
  if (stateOf(context).problem) return;
  remember('localStorage', 'asset', keyOf(asset));
  tab.isChoosing = false;
  announce(context, cryptoWords(context).shown);
  context.element.requestUpdate();
  await context.element.updateComplete;
  focusOn(context, '#panel-crypto .rows button');
}

function paying(tab: CryptoTab, state: CheckoutState, transfer: CryptoTransfer): TemplateResult {
  const panel = panelOf(tab, transfer);
  const chain = optionOf(state, transfer)?.chain_name ?? transfer.chain;
  const isFree = assetsOf(state).length > 1 && !panel?.isCommitted();
  return html`${payingWith(tab.context, transfer.asset, chain, isFree ? () => void change(tab, transfer) : null)}
    ${panel?.isInFront() ? nothing : transferView(tab.screen, transfer, chain)} ${panel?.render()}
    ${tab.wallet === 'failed' ? note(tab.context.strings.unloaded, 'bad', 'alert') : nothing}`;
}

/** Goes back to the list of assets. A transfer of the previous asset still counts. */
async function change(tab: CryptoTab, transfer: CryptoTransfer): Promise<void> {
  const { context } = tab;
  close(tab);
  Object.assign(tab, { isChoosing: true, chosen: keyOf(transfer) });
  context.element.requestUpdate();
  await context.element.updateComplete;
  focusOn(context, '#panel-crypto :checked');
}

function close({ wallet }: CryptoTab): void {
  if (typeof wallet === 'object') wallet.close();
}

/** Does the next step with the wallet. The first press loads its chunks. */
async function payByWallet(tab: CryptoTab): Promise<void> {
  const { context } = tab;
  const transfer = transferOf(tab, stateOf(context));
  const option = transfer && optionOf(stateOf(context), transfer);
  if (!option) return;
  const panel = panelOf(tab, transfer);
  if (panel) return await panel.press();
  tab.wallet = 'loading';
  context.element.requestUpdate();
  try {
    const [{ createWalletPanel }, { freighter }] = await walletChunks();
    tab.wallet = createWalletPanel(context, freighter, { option, transfer, look: assetLook });
    await tab.wallet.open();
  } catch {
    tab.wallet = 'failed';
    context.element.requestUpdate();
  }
}
