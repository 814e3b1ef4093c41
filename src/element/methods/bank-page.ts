import { css, html, nothing } from 'lit';
import { parseWebAddress } from '../../core/web-address.ts';
import type { CheckoutState } from '../checkout-store.ts';
import { type Desk, dispatch, rootOf, stateOf } from '../desk.ts';
import { focusOn, note } from '../parts/furniture.ts';
import { drawing } from '../parts/icon.ts';
import { bankPageStrings } from '../strings/en-bank-page.ts';
import type { View } from '../view-rack.ts';

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
    border-radius: var(--pay-radius, 20px);
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

/** Address of the bank's page when the service says that it is next; null without one, or when it is not http or https. */
function bankPageUrl({ payment }: CheckoutState): string | null {
  const action = payment?.next_action;
  return (action?.type === 'redirect' && parseWebAddress(action.url)?.href) || null;
}

/**
 * The page of the card's bank (3-D Secure), shown over the shop's page, which stays as it is. `confirm` opens it; it
 * closes by itself as soon as the service knows how it ended.
 */
export function createView(desk: Desk): View {
  let isOpen = false;
  let loads = 0;

  async function open(): Promise<void> {
    if (!bankPageUrl(stateOf(desk))) return;
    isOpen = true;
    loads = 0;
    desk.element.requestUpdate();
    await desk.element.updateComplete;
    rootOf(desk).querySelector<HTMLDialogElement>('dialog.bank')?.showModal();
  }

  /** The first load is the bank's page; every further one a step, the last of them back at the service. */
  function step(): void {
    if (loads++ > 0) void dispatch(desk, { type: 'check' });
  }

  /** With the dialog the focus would be lost: it goes to what is to be done next. */
  async function shut(): Promise<void> {
    isOpen = false;
    desk.element.requestUpdate();
    await desk.element.updateComplete;
    focusOn(desk, '.main');
  }

  function close(): void {
    if (!isOpen) return;
    void shut();
    void dispatch(desk, { type: 'check' });
  }

  return {
    confirm: open,
    dispose: close,
    render(state) {
      const url = bankPageUrl(state);
      if (isOpen && url === null) void shut();
      const strings = desk.strings.parts?.bankPage ?? bankPageStrings;
      if (isOpen && url) return dialog(strings, url, close, step);
      return url === null && state.payment?.next_action?.type === 'redirect'
        ? note(strings.unsafe, 'bad', 'alert')
        : nothing;
    },
  };
}

/**
 * The frame may do what a bank's page needs, but not take the shop's page away. A page of the same origin could free
 * itself, of which browsers warn: it is the service's own, on the hosted checkout, and bound by no rule.
 */
const rulesFor = (url: string) =>
  new URL(url).origin === location.origin ? nothing : 'allow-scripts allow-forms allow-same-origin allow-popups';

function dialog(strings: typeof bankPageStrings, url: string, close: () => void, step: () => void): unknown {
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
