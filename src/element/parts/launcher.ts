import { css, html, nothing } from 'lit';
import { parseWebAddress } from '../../core/web-address.ts';
import type { CheckoutState } from '../checkout-store.ts';
import { checkoutView } from '../checkout-view.ts';
import { type Desk, isDark, localeOf, rootOf, stateOf } from '../desk.ts';
import { moneyText } from '../money-text.ts';
import { say } from '../strings/en.ts';
import { launcherStrings } from '../strings/en-launcher.ts';
import type { View } from '../view-rack.ts';
import { report } from './furniture.ts';
import { drawing } from './icon.ts';

export const styles = css`
  dialog.over {
    inline-size: 100%;
    max-inline-size: 412px;
    max-block-size: 100dvh;
    margin: auto;
    padding: 0;
    border: 0;
    background: none;
    color: inherit;
  }
  dialog.over::backdrop {
    background: #0c0f1499;
  }
  .over .who {
    padding-inline-end: 44px;
  }
  .shut {
    position: absolute;
    inset-block-start: 10px;
    inset-inline-end: 10px;
    z-index: 1;
    display: grid;
    place-items: center;
    inline-size: 44px;
    block-size: 44px;
    padding: 0;
    border-radius: 50%;
  }
`;

/** The pay button of the modes `redirect` and `popup`, and the dialog over the page. */
export function createView(desk: Desk): View {
  const { element } = desk;
  const stringsOf = () => desk.strings.parts?.launcher ?? launcherStrings;
  let hasOpened = false;
  let wasShown = false;
  let hasLeft = false;

  function label(): string {
    const { amount, currency } = element;
    const strings = stringsOf();
    if (!amount || !currency) return strings.plain;
    return say(strings.pay, { amount: moneyText(amount, currency.toUpperCase(), localeOf(desk)) });
  }

  /** Off to the service's own page, as soon as there is a payment. */
  function leave({ payment }: CheckoutState): void {
    if (hasLeft || !payment) return;
    hasLeft = true;
    const url = parseWebAddress(payment.checkout_url);
    if (url) location.assign(url.href);
    else report(desk, { code: 'unsafe_checkout_url', message: `This is no web address: ${payment.checkout_url}` });
  }

  function settle(isShown: boolean): void {
    const dialog = rootOf(desk).querySelector<HTMLDialogElement>('dialog.over');
    // By now the page may have taken the element away.
    if (dialog?.isConnected && dialog.open !== isShown) isShown ? dialog.showModal() : dialog.close();
  }

  return {
    render(state) {
      const strings = stringsOf();
      const isOpen = desk.isOpen;
      const isRedirect = element.mode === 'redirect';
      // On the way to the hosted page the dialog is there only for what the payer has to say first; then it stays.
      const isShown = isOpen && (!isRedirect || wasShown || isStuck(desk));
      wasShown = isShown;
      hasOpened ||= isShown;
      if (isOpen && isRedirect) leave(state);
      if (!isOpen) hasLeft = false;
      void element.updateComplete.then(() => settle(isShown));
      const busy = isOpen && !isShown;
      const { lang, dir } = desk.strings;
      return html`<div
          class="skin ${isDark(desk) ? 'dark' : ''}"
          lang=${lang}
          dir=${dir ?? nothing}
          @click=${() => busy || element.open()}>
          <slot name="trigger">
            <button class="main" part="trigger" type="button" aria-disabled=${busy}>
              ${busy ? html`<span class="spin"></span>` : nothing}${label()}
            </button>
          </slot>
        </div>
        <dialog class="over" part="dialog" lang=${lang} dir=${dir ?? nothing} autofocus aria-label=${strings.dialog} @close=${() => element.close()}>
          <div class="skin ${isDark(desk) ? 'dark' : ''}">
            <button class="shut" type="button" aria-label=${strings.close} @click=${() => element.close()}>
              ${drawing('m6 6 12 12M18 6 6 18')}
            </button>
          </div>
          ${hasOpened ? checkoutView(desk) : nothing}
        </dialog>`;
    },
  };
}

/** Whether it goes no further without the payer: who they are, a new try, a mistake of the page. */
function isStuck(desk: Desk): boolean {
  const { busy, problem } = stateOf(desk);
  return !busy && Boolean(desk.isRefused || problem || desk.session?.needsCustomer());
}
