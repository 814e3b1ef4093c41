import { html, nothing, svg, type TemplateResult } from 'lit';
import { copyButton } from '../controls/copy-button.ts';
import { formField, formValues } from '../controls/form-field.ts';
import { errorNote } from '../controls/states.ts';

/** An authenticator app that is being set up. */
export interface CodeSetup {
  readonly secret: string;
  readonly qr: { readonly path: string; readonly size: number };
  readonly error: unknown;
  readonly isBusy: boolean;
}

interface SetupHandlers {
  readonly close: () => void;
  readonly change: (setup: CodeSetup) => void;
  readonly confirm: (code: string) => Promise<void>;
}

/** Shows the secret as a QR code and as text. Then asks for the first code of the app. */
export function setupDialog(setup: CodeSetup | null, { close, change, confirm }: SetupHandlers): TemplateResult {
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (setup === null || setup.isBusy) return;
    const { code = '' } = formValues(event.target as HTMLFormElement);
    change({ ...setup, isBusy: true, error: null });
    await confirm(code).catch(error => change({ ...setup, isBusy: false, error }));
  };
  return html`<pay-dialog heading="Set up an authenticator app" .open=${setup !== null} .busy=${setup?.isBusy ?? false} @close=${close}>
    ${
      setup === null
        ? nothing
        : html`<form id="setup" class="fields" novalidate @submit=${submit}>
          <p>1. Scan the code with your app, or type the key.</p>
          ${qrCode(setup.qr)}
          <p class="mono">${setup.secret} ${copyButton(setup.secret, 'key')}</p>
          <p>2. Type the six digits that the app shows.</p>
          ${setup.error === null ? nothing : errorNote(setup.error)}
          ${formField({ label: 'Code', name: 'code', inputMode: 'numeric', autocomplete: 'one-time-code', maxLength: 6 })}
          <button class="main" type="submit" ?disabled=${setup.isBusy}>Turn codes on</button>
        </form>`
    }
  </pay-dialog>`;
}

/** A QR code, dark on white in both colour schemes, because scanners need this. */
function qrCode({ path, size }: CodeSetup['qr']): TemplateResult {
  return html`<svg role="img" aria-label="QR code of the key" width="200" height="200" viewBox="0 0 ${size} ${size}">
    ${svg`<rect width=${size} height=${size} fill="#fff"></rect><path d=${path} fill="#000"></path>`}
  </svg>`;
}

/** Shows new recovery codes once. */
export function recoveryCodesDialog(codes: readonly string[] | null, close: () => void): TemplateResult {
  return html`<pay-dialog heading="Recovery codes" .open=${codes !== null} @close=${close}>
    ${
      codes === null
        ? nothing
        : html`<p>Each code replaces a code of the app once. Keep them where you keep important papers: they are not shown again.</p>
          <ul class="mono" aria-label="Recovery codes">${codes.map(code => html`<li>${code}</li>`)}</ul>
          <p>${copyButton(codes.join('\n'), 'recovery codes')} Copy all</p>`
    }
    <button slot="buttons" class="main" type="button" @click=${close}>I have kept them</button>
  </pay-dialog>`;
}
