import { css, html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { icon } from '../controls/icons.ts';
import { errorNote } from '../controls/states.ts';
import { DashboardElement } from './dashboard-page.ts';

/** Windows with room for a PDF. A narrower window only links to the PDF, because phones show no PDF inside a page. */
const isWide = '(width >= 700px)';

/**
 * `<pay-pdf-preview .draw .state>`: shows the service's PDF on request. `draw` fetches the PDF. If `state` changes, the
 * shown PDF is old and is drawn again.
 */
class PdfPreview extends DashboardElement {
  static override readonly properties = {
    draw: { attribute: false },
    state: { attribute: false },
    url: { state: true },
    error: { state: true },
    isBusy: { state: true },
  };
  static override readonly styles = [
    DashboardElement.styles,
    css`
      iframe {
        inline-size: 100%;
        block-size: min(80dvh, 60rem);
        border: 1px solid var(--line);
        border-radius: 12px;
        background: #fff;
      }
      .body {
        gap: 12px;
      }
    `,
  ];

  declare draw: (() => Promise<Blob>) | null;
  /** The data that the PDF shows. Null: there is no data yet. */
  declare state: unknown;
  declare private url: string | null;
  declare private error: unknown;
  declare private isBusy: boolean;

  constructor() {
    super();
    Object.assign(this, { draw: null, state: null, url: null, error: null, isBusy: false });
  }

  override updated(changed: PropertyValues<this>): void {
    if (changed.has('state') && this.url !== null && this.state !== null) void this.#show();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#put(null);
  }

  readonly #show = async (): Promise<void> => {
    if (this.draw === null || this.isBusy) return;
    Object.assign(this, { isBusy: true, error: null });
    const drawn = this.state;
    try {
      this.#put(URL.createObjectURL(await this.draw()));
    } catch (error) {
      this.error = error;
    }
    this.isBusy = false;
    if (this.error === null && this.state !== null && this.state !== drawn) void this.#show();
  };

  #put(url: string | null): void {
    if (this.url !== null) URL.revokeObjectURL(this.url);
    this.url = url;
  }

  override render(): TemplateResult {
    const { url, isBusy } = this;
    const label = isBusy ? 'Drawing …' : 'Preview as PDF';
    return html`<div class="body" aria-busy=${isBusy ? 'true' : 'false'}>
      ${
        url === null
          ? html`<button class="second" type="button" ?disabled=${isBusy || this.state === null} @click=${this.#show}>${label}</button>`
          : html`<div class="actions">
              <a class="second" href=${url} target="_blank" rel="noopener">${icon('external')} Open the PDF</a>
              <button class="plain" type="button" @click=${() => this.#put(null)}>Hide it</button>
            </div>
            ${matchMedia(isWide).matches ? html`<iframe title="The invoice as PDF" src=${url}></iframe>` : nothing}`
      }
      ${this.error === null ? nothing : errorNote(this.error, this.#show)}
    </div>`;
  }
}

customElements.define('pay-pdf-preview', PdfPreview);
