import { html, LitElement, type TemplateResult } from 'lit';
import type { Clock } from '../../core/clock.ts';
import { merchantClock } from '../app/session.ts';
import { agoWords, timeWords } from './values.ts';

/** Milliseconds between two updates of the texts. */
const tickMs = 30_000;

const shown = new Set<AgoText>();
let ticking: ReturnType<typeof setInterval> | undefined;

/** `<pay-ago>`: a time in the words of `agoWords`, updated every 30 seconds. The tooltip has the full time. */
class AgoText extends LitElement {
  static override readonly properties = { time: {}, clock: { attribute: false } };

  declare time: string;
  declare clock: Clock;
  #words = '';

  override connectedCallback(): void {
    super.connectedCallback();
    shown.add(this);
    ticking ??= setInterval(() => {
      for (const element of shown) element.refresh();
    }, tickMs);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    shown.delete(this);
    if (shown.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  }

  /** Renders again if the words have changed. In a long list, most words do not change. */
  refresh(): void {
    if (agoWords(this.time, this.clock) !== this.#words) this.requestUpdate();
  }

  override render(): TemplateResult {
    this.#words = agoWords(this.time, this.clock);
    return html`<time datetime=${this.time} title=${timeWords(this.time, 'full')}>${this.#words}</time>`;
  }
}

customElements.define('pay-ago', AgoText);

/** A time of `clock` as `2m ago`, or the day if it is more than a week away. Updates itself. */
export function agoText(time: string, clock = merchantClock): TemplateResult {
  return html`<pay-ago class="num" .time=${time} .clock=${clock}></pay-ago>`;
}
