import type { ReactiveControllerHost } from 'lit';
import type { CreateInvoice } from '../../../api/invoice/invoice.ts';
import type { InvoicePreview } from '../../../api/invoice/invoice-view.ts';
import { AfterTyping } from '../../app/soon.ts';
import type { InvoiceTexts } from './invoice-texts.ts';
import { typedInvoice } from './typed-invoice.ts';

/** The element that shows the form of an invoice. */
interface Host extends ReactiveControllerHost {
  /** The service's last refusal of the typed texts. */
  error: unknown;
}

/** The totals of an edited invoice. The service computes them when the person stops typing. */
export class ComputedTotals {
  /** The invoice with its amounts. Null before the first answer, for incomplete or wrong texts, and after a refusal. */
  preview: InvoicePreview | null = null;
  readonly #host: Host;
  readonly #asking: AfterTyping<InvoiceTexts, InvoicePreview | null>;
  /** The host's error when the totals were last asked for. A later refusal is newer than their answer, so it stays. */
  #knownError: unknown = null;

  constructor(host: Host, compute: (body: CreateInvoice, signal: AbortSignal) => Promise<InvoicePreview>) {
    this.#host = host;
    const show = (preview: InvoicePreview | null, error: unknown) => {
      this.preview = preview;
      if (host.error === this.#knownError) host.error = error;
      host.requestUpdate();
    };
    this.#asking = new AfterTyping(host, {
      // Incomplete or wrong texts are not sent.
      load: async (texts, signal) => {
        const { body, wrong, missing } = typedInvoice(texts);
        return Object.keys({ ...wrong, ...missing }).length > 0 ? null : await compute(body, signal);
      },
      show: preview => show(preview, preview === null ? host.error : null),
      fail: error => show(null, error),
    });
  }

  /** Computes the totals of the texts after a pause. Drops earlier requests. */
  askSoon(texts: InvoiceTexts, pause?: number): void {
    this.#knownError = this.#host.error;
    this.#asking.ask(texts, pause);
  }
}
