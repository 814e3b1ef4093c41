import { html, nothing, type ReactiveControllerHost, type TemplateResult } from 'lit';
import { errorOfAnswer } from '../../api/client/api-error.ts';
import { systemClock } from '../../core/clock.ts';
import { icon } from '../controls/icons.ts';
import { errorNote } from '../controls/states.ts';
import type { Service } from './service-client.ts';

/**
 * Fetches a file of the service. With a body, the service draws the file from the body. Throws PayApiError for a
 * refusal, and TypeError without a connection.
 */
export async function blobOf(service: Pick<Service, 'fetch'>, path: string, body?: object): Promise<Blob> {
  const headers = { 'content-type': 'application/json' };
  const sent = body === undefined ? { method: 'GET' } : { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await service.fetch(path, sent);
  if (!answer.ok) throw await errorOfAnswer(answer, systemClock.now().getTime());
  return await answer.blob();
}

/** Saves a file of the service, for example `/v1/payments/pay_…/receipt`. Throws the same errors as `blobOf`. */
export async function download(service: Pick<Service, 'fetch'>, path: string, name: string): Promise<void> {
  const url = URL.createObjectURL(await blobOf(service, path));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Revokes the URL late, because the browser needs it until the saving has begun.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** A file that the page can save: its button, and the error of the last attempt. */
export class SavedFile {
  #error: unknown = null;
  #isRunning = false;
  readonly #host: ReactiveControllerHost;
  readonly #save: () => Promise<void>;

  constructor(host: ReactiveControllerHost, save: () => Promise<void>) {
    this.#host = host;
    this.#save = save;
  }

  button(label: string): TemplateResult {
    return html`<button class="second" type="button" ?disabled=${this.#isRunning} @click=${this.#run}>
      ${icon('download')}${this.#isRunning ? 'Preparing …' : label}
    </button>`;
  }

  note(): TemplateResult | typeof nothing {
    return this.#error === null ? nothing : errorNote(this.#error);
  }

  readonly #run = async (): Promise<void> => {
    this.#error = null;
    this.#isRunning = true;
    this.#host.requestUpdate();
    try {
      await this.#save();
    } catch (error) {
      this.#error = error;
    }
    this.#isRunning = false;
    this.#host.requestUpdate();
  };
}
