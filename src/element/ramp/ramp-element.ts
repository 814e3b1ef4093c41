import type { ReactiveControllerHost } from 'lit';
import type { Appearance } from '../appearance.ts';

/** The widget's settings. */
export interface RampSettings {
  apiKey: string | undefined;
  baseUrl: string | undefined;
  rampId: string | undefined;
  clientSecret: string | undefined;
  currency: string | undefined;
  amount: number | undefined;
  asset: string | undefined;
  wallet: string | undefined;
  customerEmail: string | undefined;
  customerName: string | undefined;
  returnUrl: string | undefined;
  theme: string | undefined;
  locale: string | undefined;
  appearance: Appearance | undefined;
}

/** The element's interface for the parts of the widget. */
export interface RampElement extends HTMLElement, RampSettings, Pick<ReactiveControllerHost, 'addController'> {
  readonly renderRoot: DocumentFragment | HTMLElement;
  readonly updateComplete: Promise<boolean>;
  requestUpdate(): void;
}
