import { css, html, nothing } from 'lit';
import { parseWebAddress } from '../../core/web-address.ts';
import { type CheckoutContext, isDark, localeOf, rootOf, stateOf, type View } from '../checkout-context.ts';
import { focusOn, report } from '../controls/controls.ts';
import { checkoutView } from '../first-screen/checkout-view.ts';
import { drawing } from '../first-screen/icon.ts';
import { moneyText } from '../money-text.ts';
import { isUsable } from '../state/checkout-config.ts';
import type { CheckoutState } from '../state/checkout-state.ts';
import { launcherStrings } from '../strings/en/launcher.ts';
import { say } from '../strings/en.ts';

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
export function createView(context: CheckoutContext): View {
  const { element } = context;
  const stringsOf = () => context.strings.parts?.launcher ?? launcherStrings;
  let hasOpened = false;
  let wasShown = false;
  let hasLeft = false;

  function label(): string {
    const { amount, currency } = element;
    const strings = stringsOf();
    if (!amount || !currency) return strings.plain;
    return say(strings.pay, { amount: moneyText(amount, currency.toUpperCase(), localeOf(context)) });
  }

  /** Opens the hosted page as soon as there is a payment. */
  function leave({ payment }: CheckoutState): void {
    if (hasLeft || !payment) return;
    hasLeft = true;
    const url = parseWebAddress(payment.checkout_url);
    if (url) location.assign(url.href);
    else
      report(context, { code: 'unsafe_checkout_url', message: `This is not a web address: ${payment.checkout_url}` });
  }

  function settle(isShown: boolean): void {
    const dialog = rootOf(context).querySelector<HTMLDialogElement>('dialog.over');
    // The page may have removed the element in the meantime.
    if (!dialog?.isConnected || dialog.open === isShown) return;
    if (isShown) {
      dialog.showModal();
      return;
    }
    // Returns the focus to the opener. This is needed because some browsers do not focus a pressed button.
    dialog.close();
    if (document.activeElement === document.body) focusOn(context, '[part=trigger]');
  }

  // The event `close` arrives late. The page may have opened the dialog again in the meantime.
  const closed = (event: Event) => (event.target as HTMLDialogElement).open || element.close();

  return {
    render(state) {
      const strings = stringsOf();
      const isOpen = context.isOpen;
      const isRedirect = element.mode === 'redirect';
      // In redirect mode, the dialog opens only if the payer must first act. An open dialog stays open.
      const isShown = isOpen && (!isRedirect || wasShown || isStuck(context));
      wasShown = isShown;
      hasOpened ||= isShown;
      if (isOpen && isRedirect) leave(state);
      if (!isOpen) hasLeft = false;
      void element.updateComplete.then(() => settle(isShown));
      const busy = isOpen && !isShown;
      const { lang, dir } = context.strings;
      return html`<div
          class="skin ${isDark(context) ? 'dark' : ''}"
          lang=${lang}
          dir=${dir ?? nothing}
          @click=${() => busy || element.open()}>
          <slot name="trigger">
            <button class="main" part="trigger" type="button" aria-disabled=${busy}>
              ${busy ? html`<span class="spin"></span>` : nothing}${label()}
            </button>
          </slot>
        </div>
        <dialog class="over" part="dialog" lang=${lang} dir=${dir ?? nothing} autofocus aria-label=${strings.dialog} @close=${closed}>
          <div class="skin ${isDark(context) ? 'dark' : ''}">
            <button class="shut" type="button" aria-label=${strings.close} @click=${() => element.close()}>
              ${drawing('m6 6 12 12M18 6 6 18')}
            </button>
          </div>
          ${hasOpened ? checkoutView(context) : nothing}
        </dialog>`;
    },
  };
}

/** Whether the payer must act: enter name and e-mail, try again, or read that the page is not set up correctly. */
function isStuck(context: CheckoutContext): boolean {
  const { busy, problem } = stateOf(context);
  return !busy && Boolean(!isUsable(context.element) || problem || context.session?.needsCustomer());
}
