import { css, html, nothing } from 'lit';
import { parseWebAddress } from '../../core/web-address.ts';
import { type CheckoutContext, rootOf, stateOf, storeOf, type View } from '../checkout-context.ts';
import { focusOn, note } from '../controls/controls.ts';
import { drawing } from '../first-screen/icon.ts';
import type { CheckoutState } from '../state/checkout-state.ts';
import { challengeStrings } from '../strings/en/challenge.ts';

export const styles = css`
  dialog.bank {
    flex-direction: column;
    inline-size: 100%;
    max-inline-size: 480px;
    block-size: 100%;
    max-block-size: min(100dvh, 720px);
    margin: auto;
    padding: 0;
    border: 0;
    border-radius: var(--round);
    background: var(--card);
    color: var(--ink);
    overflow: hidden;
  }
  dialog.bank[open] {
    display: flex;
  }
  dialog.bank::backdrop {
    background: #0c0f1499;
  }
  @media (max-width: 480px) {
    dialog.bank {
      max-block-size: 100dvh;
      border-radius: 0;
    }
  }
  .bank h2 {
    display: flex;
    align-items: center;
    justify-content: space-between;
    padding-block: 8px;
    padding-inline: 20px 8px;
    border-block-end: 1px solid var(--line);
    font-size: 1.067em;
    font-weight: 600;
  }
  .bank h2 button {
    display: grid;
    place-items: center;
    inline-size: 44px;
    block-size: 44px;
    border-radius: 10px;
  }
  .bank iframe {
    flex: 1;
    inline-size: 100%;
    border: 0;
    background: #fff;
  }
  .bank a {
    padding: 13px 20px;
    border-block-start: 1px solid var(--line);
    color: var(--ink2);
    font-size: 0.867em;
    text-align: center;
  }
`;

/** URL of the bank's page. Null if no page is needed, or if the URL is not http or https. */
function bankPageUrl({ payment }: CheckoutState): string | null {
  const action = payment?.next_action;
  return (action?.type === 'redirect' && parseWebAddress(action.url)?.href) || null;
}

/**
 * The page of the card's bank (3-D Secure) in a dialog over the shop's page. `confirm` opens the dialog. The dialog
 * closes automatically when the service knows the result.
 */
export function createView(context: CheckoutContext): View {
  let isOpen = false;
  let loads = 0;

  async function open(): Promise<void> {
    if (!bankPageUrl(stateOf(context))) return;
    isOpen = true;
    loads = 0;
    context.element.requestUpdate();
    await context.element.updateComplete;
    rootOf(context).querySelector<HTMLDialogElement>('dialog.bank')?.showModal();
  }

  /** Called at each load of the frame. Each load after the bank's first page may be the return to the service. */
  function step(): void {
    if (loads++ > 0) void storeOf(context)?.readPayment();
  }

  /** Removes the dialog and moves the focus to the main button. Otherwise the focus would be lost. */
  async function shut(): Promise<void> {
    isOpen = false;
    context.element.requestUpdate();
    await context.element.updateComplete;
    focusOn(context, '.main');
  }

  function close(): void {
    if (!isOpen) return;
    void shut();
    void storeOf(context)?.readPayment();
  }

  return {
    confirm: open,
    dispose: close,
    render(state) {
      const url = bankPageUrl(state);
      if (isOpen && url === null) void shut();
      const strings = context.strings.parts?.challenge ?? challengeStrings;
      if (isOpen && url) return dialog(strings, url, close, step);
      return url === null && state.payment?.next_action?.type === 'redirect'
        ? note(strings.unsafe, 'bad', 'alert')
        : nothing;
    },
  };
}

/**
 * Sandbox rules of the frame. They allow what a bank's page needs, but not to navigate the shop's page. A page of our
 * own origin gets no sandbox: it could remove the sandbox itself, and browsers warn about that.
 */
const rulesFor = (url: string) =>
  new URL(url).origin === location.origin ? nothing : 'allow-scripts allow-forms allow-same-origin allow-popups';

function dialog(strings: typeof challengeStrings, url: string, close: () => void, step: () => void): unknown {
  return html`<dialog class="bank" part="dialog" aria-labelledby="bank-title" @close=${close}>
    <h2>
      <span id="bank-title">${strings.title}</span>
      <button type="button" aria-label=${strings.close} @click=${close}>${drawing('m6 6 12 12M18 6 6 18')}</button>
    </h2>
    <iframe
      title=${strings.title}
      sandbox=${rulesFor(url)}
      autofocus
      src=${url}
      @load=${step}
    ></iframe>
    <a href=${url} target="_blank" rel="noopener">${strings.newWindow}</a>
  </dialog>`;
}
