import { css, html, nothing, type TemplateResult } from 'lit';
import type { Account, UpdateAccount } from '../../api/merchant.ts';
import { contrast, inkOn } from '../../core/contrast.ts';
import { DashboardPage, pageFrame } from '../app/dashboard-page.ts';
import { Loaded } from '../app/loaded.ts';
import { pathTo } from '../app/router.ts';
import { fieldErrors, formField } from '../controls/form-field.ts';
import { errorNote, note, roleNote } from '../controls/states.ts';
import './branding-previews.ts';
import { readPicture } from './picture-file.ts';

type Branding = Account['branding'];

const fonts = [
  ['system', 'System'],
  ['serif', 'Serif'],
  ['mono', 'Monospace'],
  ['rounded', 'Rounded'],
] as const;
const borders = [
  ['rounded', 'Rounded'],
  ['pill', 'Pill'],
  ['square', 'Square'],
] as const;

const families: Readonly<Record<Branding['font'], string>> = {
  system: 'system-ui, sans-serif',
  serif: 'ui-serif, Georgia, serif',
  mono: 'ui-monospace, Menlo, monospace',
  rounded: 'ui-rounded, system-ui, sans-serif',
};
const radii: Readonly<Record<Branding['border_style'], readonly [card: string, control: string]>> = {
  rounded: ['20px', '12px'],
  pill: ['20px', '26px'],
  square: ['0', '0'],
};
/** Minimum contrast of the accent with the card, for borders and icons (WCAG 2.2, 1.4.11). */
const leastContrast = 3;
const card = '#ffffff';
const usual = { accent: '#2f5bea', page: '#f4f5f7' } as const;

/** The appearance of checkout, mails and documents, with a sample checkout that shows the typed values. */
class BrandingPage extends DashboardPage {
  static override readonly properties = {
    ...DashboardPage.properties,
    draft: { state: true },
    error: { state: true },
    isBusy: { state: true },
  };
  static override readonly styles = [
    DashboardPage.styles,
    css`
      .sample {
        display: grid;
        place-items: center;
        padding: 32px 16px;
        border-radius: 12px;
        background: var(--sample-page);
        font-family: var(--sample-font);
      }
      .sample > div {
        display: grid;
        gap: 14px;
        inline-size: min(100%, 320px);
        padding: 20px;
        border-radius: var(--sample-card);
        background: #fff;
        color: #10151d;
        box-shadow: 0 8px 30px #10151d1f;
      }
      .sample img {
        max-block-size: 36px;
        max-inline-size: 160px;
        justify-self: start;
      }
      .sample .amount {
        font-size: 2rem;
        font-weight: 650;
      }
      .sample .input-like {
        padding: 11px 12px;
        border: 1px solid #868f9f;
        border-radius: var(--sample-control);
        color: #687282;
      }
      .sample .pay {
        padding: 14px;
        border-radius: var(--sample-control);
        background: var(--sample-accent);
        color: var(--sample-ink);
        font-weight: 600;
        text-align: center;
      }
    `,
  ];

  /** The fields that the person has changed since the last saving. */
  declare draft: Partial<Branding>;
  declare error: unknown;
  declare isBusy: boolean;

  readonly #account = new Loaded(this, signal => this.app.client.account.retrieve({ signal }));

  constructor() {
    super();
    Object.assign(this, { draft: {}, error: null, isBusy: false });
  }

  #set(change: Partial<Branding>): void {
    this.draft = { ...this.draft, ...change };
  }

  async #choose(event: Event, name: 'logo' | 'icon'): Promise<void> {
    const file = (event.target as HTMLInputElement).files?.[0];
    if (file === undefined) return;
    this.error = null;
    try {
      this.#set({ [name]: await readPicture(file) });
    } catch (error) {
      this.error = error;
    }
  }

  async #save(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (this.isBusy) return;
    Object.assign(this, { error: null, isBusy: true });
    try {
      const branding = this.draft as NonNullable<UpdateAccount['branding']>;
      this.#account.set(await this.app.client.account.update({ branding }));
      this.draft = {};
      this.app.toast({ text: 'Branding saved', tone: 'good' });
    } catch (error) {
      this.error = error;
    }
    this.isBusy = false;
  }

  override render(): TemplateResult {
    return pageFrame({
      above: { label: 'Settings', path: '/settings' },
      title: 'Branding',
      subtitle: 'Checkout, mails and documents use it.',
      actions: html`<a class="second" href=${pathTo('/settings/domains')}>Domains</a>`,
      body: this.#account.render(account => {
        const shown = { ...account.branding, ...this.draft };
        return html`${roleNote(this.app, 'manage')}<div class="beside">${this.#form(shown)}<div class="body">${sample(account.name, shown)}
          <pay-branding-previews .account=${account} .draft=${this.draft}></pay-branding-previews></div></div>`;
      }),
    });
  }

  #form(shown: Branding): TemplateResult {
    const errors = fieldErrors(this.error);
    const may = this.app.may('manage');
    const isSaved = Object.keys(this.draft).length === 0;
    const text = (name: 'primary_color' | 'background_color', label: string, placeholder: string) =>
      formField({
        label,
        name,
        value: shown[name] ?? '',
        placeholder,
        hint: 'Six digits, for example #2f5bea.',
        error: errors[`branding.${name}`],
        onInput: value => this.#set({ [name]: value.trim() || null }),
      });
    return html`<form class="card" novalidate @submit=${this.#save}>
      <fieldset class="fields" ?disabled=${!may || this.isBusy}>
        ${this.#picture('logo', 'Logo', shown)} ${this.#picture('icon', 'Icon', shown)}
        ${text('primary_color', 'Accent', usual.accent)} ${contrastNote(shown.primary_color)}
        ${text('background_color', 'Page', usual.page)}
        ${formField({ label: 'Font', name: 'font', value: shown.font, options: fonts, onInput: font => this.#set({ font: font as Branding['font'] }) })}
        ${formField({ label: 'Corners', name: 'border_style', value: shown.border_style, options: borders, onInput: style => this.#set({ border_style: style as Branding['border_style'] }) })}
      </fieldset>
      ${this.error === null ? nothing : errorNote(this.error)}
      ${
        may
          ? html`<div class="actions">
              <button class="main" type="submit" ?disabled=${this.isBusy || isSaved}>Save</button>
              <button class="plain" type="button" ?disabled=${isSaved} @click=${() => {
                this.draft = {};
              }}>Undo changes</button>
            </div>`
          : nothing
      }
    </form>`;
  }

  #picture(name: 'logo' | 'icon', label: string, shown: Branding): TemplateResult {
    const id = `file-${name}`;
    return html`<div class="field">
      <label for=${id}>${label}</label>
      <div class="hint">PNG, JPEG, WebP or SVG, at most 300 kB.</div>
      <input id=${id} type="file" accept="image/png,image/jpeg,image/webp,image/svg+xml"
        @change=${(event: Event) => this.#choose(event, name)}>
      ${shown[name] === null ? nothing : html`<button class="plain" type="button" @click=${() => this.#set({ [name]: null })}>Remove the ${name}</button>`}
    </div>`;
  }
}

const isColor = (text: string | null): text is string => text !== null && /^#[0-9a-f]{6}$/i.test(text);

function contrastNote(accent: string | null): TemplateResult | typeof nothing {
  if (!isColor(accent)) return nothing;
  const ratio = contrast(accent, card);
  const words = `${ratio.toFixed(1)} : 1 on the card`;
  if (ratio >= leastContrast) return note(html`<strong>Easy to see.</strong> ${words}.`);
  return note(
    html`<strong>Hard to see.</strong> ${words}; take a darker colour, at least ${leastContrast} : 1.`,
    'warn',
  );
}

/** A sample of the checkout's card with the branding. */
function sample(
  name: string,
  { logo, primary_color: primary, background_color: page, font, border_style: border }: Branding,
) {
  const accent = isColor(primary) ? primary : usual.accent;
  const [card, control] = radii[border];
  const style = [
    `--sample-accent:${accent};--sample-ink:${inkOn(accent)};--sample-page:${isColor(page) ? page : usual.page}`,
    `--sample-font:${families[font]};--sample-card:${card};--sample-control:${control}`,
  ].join(';');
  return html`<section class="card" aria-label="Preview">
    <h2>Preview</h2>
    <div class="sample" .style=${style as never} aria-hidden="true">
      <div>
        ${logo === null ? html`<strong>${name}</strong>` : html`<img src=${logo} alt="">`}
        <div class="amount">€128.40</div>
        <div class="input-like">Card number</div>
        <div class="pay">Pay €128.40</div>
      </div>
    </div>
    <p class="hint">A drawing of the checkout: it has your colours and shapes, and fewer parts.</p>
  </section>`;
}

customElements.define('pay-branding-page', BrandingPage);
