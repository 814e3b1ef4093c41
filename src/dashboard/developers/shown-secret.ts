import { html, nothing, type TemplateResult } from 'lit';
import { copyButton } from '../controls/copy-button.ts';

/** A secret that the service shows only once. */
export interface ShownSecret {
  /** Its name, for example `secret key`. */
  readonly name: string;
  readonly text: string;
}

/** A note with a new secret and a copy button. Nothing for null. */
export function shownSecret(secret: ShownSecret | null): TemplateResult | typeof nothing {
  if (secret === null) return nothing;
  return html`<div class="note" role="status">
    <strong>Copy the ${secret.name} now.</strong> It is not shown again.
    <div><span class="mono">${secret.text}</span> ${copyButton(secret.text, secret.name)}</div>
  </div>`;
}
