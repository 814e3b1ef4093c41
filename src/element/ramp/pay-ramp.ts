import { LitElement, type PropertyDeclaration } from 'lit';
import { type Appearance, darkMedia, kebabCase } from '../appearance.ts';
import { skeleton } from '../first-screen/skeleton.ts';
import { styles } from '../pay-checkout.styles.ts';
import type { RampSettings } from './ramp-element.ts';
import type { RampCallbacks } from './ramp-events.ts';
import type { RampWidget } from './widget.ts';

/** Names of the text properties. */
const texts =
  'apiKey baseUrl rampId clientSecret currency asset wallet customerEmail customerName returnUrl theme locale'.split(
    ' ',
  );

const properties: Record<string, PropertyDeclaration> = { amount: { type: Number }, appearance: { attribute: false } };
for (const name of texts) properties[name] = { attribute: kebabCase(name) };

/**
 * The widget of ramps: a customer buys coins with money, which arrive in the customer's wallet. With `api-key`, the
 * customer chooses amount, method and wallet. With `ramp-id` and `client-secret`, the widget continues a ramp that the
 * shop's server created.
 *
 * @summary Sells coins to a customer's wallet.
 * @tag pay-ramp
 *
 * @fires pay-ramp-change - The ramp has begun, or changed.
 * @fires pay-ramp-success - The wallet has the coins. Once for each ramp; a reload does not repeat it.
 * @fires pay-ramp-error - An error; `code` is from the service or the element.
 *
 * @csspart card - The whole widget.
 * @csspart field - An input.
 * @csspart button - The main button.
 * @csspart note - A note on a coloured panel.
 * @csspart summary - What the customer pays and gets.
 * @csspart footer - The last line, in test mode.
 */
export class PayRamp extends LitElement implements RampCallbacks, RampSettings {
  static override readonly properties = properties;
  static override readonly styles = styles;

  /** Publishable key of the shop (`pk_…`). */
  declare apiKey: string | undefined;
  /** Origin of the service; by default the script tag's origin. */
  declare baseUrl: string | undefined;
  /** The ramp to continue; needs `clientSecret`. */
  declare rampId: string | undefined;
  /** The ramp's client secret. */
  declare clientSecret: string | undefined;
  /** What the customer pays in: ISO 4217 code. */
  declare currency: string | undefined;
  /** The amount at the start, in minor units of the currency. */
  declare amount: number | undefined;
  /** The asset at the start: `USDC`, `XLM`, `CODE:ISSUER`. */
  declare asset: string | undefined;
  /** The customer's wallet; without it the widget asks. */
  declare wallet: string | undefined;
  /** The customer's e-mail address; without it the widget asks. */
  declare customerEmail: string | undefined;
  /** The customer's name; used only with `customerEmail`. */
  declare customerName: string | undefined;
  /** Page to which the customer returns from a bank's page; http or https. */
  declare returnUrl: string | undefined;
  /** `light`, `dark` or `auto` (the device's setting). Unset, the page's own `color-scheme` applies. */
  declare theme: string | undefined;
  /** BCP 47 tag for language, amounts and dates; `auto` (default): the browser's. */
  declare locale: string | undefined;
  /** `--pay-*` properties by name, for example `{ accent: '#0a7' }`. */
  declare appearance: Appearance | undefined;

  /** Called with the event `pay-ramp-success`. */
  declare onSuccess: RampCallbacks['onSuccess'];
  /** Called with the event `pay-ramp-change`. */
  declare onChange: RampCallbacks['onChange'];
  /** Called with the event `pay-ramp-error`. */
  declare onError: RampCallbacks['onError'];

  #widget: RampWidget | undefined;
  #loading: Promise<void> | undefined;
  readonly #update = () => this.requestUpdate();

  override connectedCallback(): void {
    super.connectedCallback();
    darkMedia().addEventListener('change', this.#update);
    this.requestUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    darkMedia().removeEventListener('change', this.#update);
    this.#widget?.leave();
  }

  /** Forgets the ramp of this tab, and begins a new one. */
  restart(): void {
    this.#widget?.restart();
  }

  protected override willUpdate(): void {
    this.#loading ??= import('./widget.ts').then(
      ({ createWidget }) => {
        this.#widget = createWidget(this);
        this.requestUpdate();
      },
      () => {
        this.#loading = undefined;
        addEventListener('online', this.#update, { once: true });
      },
    );
    if (this.isConnected) this.#widget?.update();
  }

  protected override render(): unknown {
    return this.#widget?.render() ?? skeleton('');
  }
}
