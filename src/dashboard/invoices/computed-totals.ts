import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { CreateInvoice } from '../../api/invoice/invoice.ts';
import type { InvoicePreview } from '../../api/invoice/invoice-view.ts';
import { type InvoiceTexts, typedInvoice } from './invoice-form.ts';

/** How long to wait after the last key before the service computes the totals, in milliseconds. */
const typingPause = 350;

/** The form of an invoice. */
interface Host extends ReactiveControllerHost {
  /** The service's last refusal of what was typed. */
  error: unknown;
}

/** The totals of an edited invoice. The service computes them while a person types. */
export class ComputedTotals implements ReactiveController {
  /** The invoice with its amounts. Null while the texts are not complete, or the service refuses them. */
  preview: InvoicePreview | null = null;
  readonly #host: Host;
  readonly #compute: (body: CreateInvoice, signal: AbortSignal) => Promise<InvoicePreview>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asking = new AbortController();

  constructor(host: Host, compute: (body: CreateInvoice, signal: AbortSignal) => Promise<InvoicePreview>) {
    this.#host = host;
    this.#compute = compute;
    host.addController(this);
  }

  hostDisconnected(): void {
    clearTimeout(this.#timer);
    this.#asking.abort();
  }

  /** Computes the totals of the texts after a pause, and forgets those that were asked for before. */
  askSoon(texts: InvoiceTexts, pause = typingPause): void {
    clearTimeout(this.#timer);
    this.#asking.abort();
    this.#timer = setTimeout(() => void this.#ask(texts), pause);
  }

  /** Texts that are not complete yet are not sent. */
  async #ask(texts: InvoiceTexts): Promise<void> {
    const { body, wrong, missing } = typedInvoice(texts);
    if (Object.keys({ ...wrong, ...missing }).length > 0) {
      this.#show(null);
      return;
    }
    const asking = new AbortController();
    this.#asking = asking;
    try {
      const preview = await this.#compute(body, asking.signal);
      if (asking.signal.aborted) return;
      this.#host.error = null;
      this.#show(preview);
    } catch (error) {
      if (asking.signal.aborted) return;
      this.#host.error = error;
      this.#show(null);
    }
  }

  #show(preview: InvoicePreview | null): void {
    this.preview = preview;
    this.#host.requestUpdate();
  }
}
