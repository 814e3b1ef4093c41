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

/** A file of the service: its path, and the name under which the browser saves it. */
export interface NamedFile {
  readonly path: string;
  readonly name: string;
}

type Host = ReactiveControllerHost & { readonly app: Pick<Service, 'fetch'> };

/** The files that are being prepared, by name. Their preparation goes on when the person leaves the page. */
const preparing = new Map<string, Promise<void>>();

/**
 * A file that the page can save: its button, and the error of the last attempt. A page that is opened again shows what
 * an earlier visit began.
 */
export class SavedFile {
  #error: unknown = null;
  /** The preparation that this page already waits for, so that no later render waits for it again. */
  #followed: Promise<void> | undefined;
  readonly #host: Host;
  readonly #file: () => NamedFile;

  constructor(host: Host, file: () => NamedFile) {
    this.#host = host;
    this.#file = file;
  }

  button(label: string): TemplateResult {
    const running = preparing.get(this.#file().name);
    if (running !== undefined) void this.#follow(running);
    return html`<button class="second" type="button" ?disabled=${running !== undefined} @click=${this.#run}>
      ${icon('download')}${running === undefined ? label : 'Preparing …'}
    </button>`;
  }

  note(): TemplateResult | typeof nothing {
    return this.#error === null ? nothing : errorNote(this.#error);
  }

  readonly #run = (): void => {
    const { path, name } = this.#file();
    this.#error = null;
    preparing.set(
      name,
      download(this.#host.app, path, name).finally(() => preparing.delete(name)),
    );
    this.#host.requestUpdate();
  };

  async #follow(running: Promise<void>): Promise<void> {
    if (this.#followed === running) return;
    this.#followed = running;
    try {
      await running;
    } catch (error) {
      this.#error = error;
    }
    this.#host.requestUpdate();
  }
}
