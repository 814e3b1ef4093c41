import { css, html, nothing, type TemplateResult } from 'lit';
import type { InvoiceWarning } from '../../api/invoice/invoice-view.ts';
import { pathTo } from '../app/router.ts';

/** A link to a field. `press` handles a click, for a field on the same page. */
export interface FieldPlace {
  readonly href: string;
  readonly press?: (event: Event) => void;
}

/** The link to the settings field for a warning about the account. Null for other warnings. */
export const accountPlace = (param: string): FieldPlace | null =>
  param.startsWith('account.') ? { href: pathTo(`/settings?field=${param.slice('account.'.length)}`) } : null;

/** The missing document: the e-invoice inside the PDF, or the XRechnung, a separate file. Empty if none is missing. */
export function lackWords(warnings: readonly InvoiceWarning[]): string {
  if (warnings.length === 0) return '';
  return warnings.some(({ code }) => code === 'einvoice_unavailable') ? 'e-invoice' : 'XRechnung';
}

/** Styles of `eInvoiceNote`. */
export const lacksStyles = css`
  .lacks {
    display: grid;
    gap: 4px;
  }
  .lacks li {
    padding-block: 4px;
  }
  .lacks li::before {
    content: "· ";
  }
`;

/** A note that lists the fields that the e-invoice lacks, with links to them. Nothing if no document is missing. */
export function eInvoiceNote(
  warnings: readonly InvoiceWarning[],
  { isIssued = false, placeOf }: { isIssued?: boolean; placeOf: (param: string) => FieldPlace | null },
): TemplateResult | typeof nothing {
  const lack = lackWords(warnings);
  if (lack === '') return nothing;
  const heading = `${isIssued ? 'It was sent' : 'It would be sent'} without ${lack}`;
  return html`<section class="note lacks" aria-labelledby="lacks">
    <h2 id="lacks">${heading}</h2>
    <ul>${warnings.map(({ param, message }) => {
      const place = accountPlace(param) ?? placeOf(param);
      return html`<li>${place === null ? message : html`<a href=${place.href} @click=${place.press ?? nothing}>${message}</a>`}</li>`;
    })}</ul>
    ${isIssued ? html`<p>A sent invoice cannot change. Fill these fields, copy the invoice, and cancel this one.</p>` : nothing}
  </section>`;
}
