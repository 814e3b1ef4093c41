import { css, html, LitElement, type TemplateResult } from 'lit';
import { icon } from './icons.ts';
import { controlStyles } from './styles.ts';

/** Milliseconds for which the button shows a confirmation. */
const confirmMs = 2_000;

/** `<pay-copy value name>`: copies a text and confirms it. */
class CopyButton extends LitElement {
  static override readonly properties = { value: {}, name: {}, isDone: { state: true } };
  static override readonly styles = [
    controlStyles,
    css`
      :host {
        display: inline-block;
        vertical-align: middle;
      }
      button {
        display: inline-grid;
        place-items: center;
        min-inline-size: 32px;
        min-block-size: 32px;
        border-radius: 8px;
        color: var(--ink2);
      }
      @media (width < 620px) {
        button {
          min-inline-size: 44px;
          min-block-size: 44px;
          margin-block: -6px;
        }
      }
      .done {
        color: var(--good);
      }
    `,
  ];

  declare value: string;
  /** The name of the copied text for screen readers, for example `IBAN`. */
  declare name: string;
  declare isDone: boolean;
  #timer: ReturnType<typeof setTimeout> | undefined;

  async #copy(): Promise<void> {
    await navigator.clipboard.writeText(this.value);
    this.isDone = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.isDone = false;
    }, confirmMs);
  }

  override render() {
    return html`<button type="button" class=${this.isDone ? 'done' : ''} aria-label=${`Copy ${this.name}`}
        title=${`Copy ${this.name}`} @click=${() => void this.#copy()}>${icon(this.isDone ? 'done' : 'copy')}</button>
      <span class="quiet" role="status">${this.isDone ? 'Copied' : ''}</span>`;
  }
}

customElements.define('pay-copy', CopyButton);

/** A button that copies `value`. `name` is the value's name, for example `request id`. */
export function copyButton(value: string, name: string): TemplateResult {
  return html`<pay-copy .value=${value} .name=${name}></pay-copy>`;
}
