import type { PostalAddress } from '../../api/schema.ts';
import { PayError } from '../../core/error.ts';
import { findUncovered } from '../documents/documents.ts';
import type { InvoiceRow, KeptSeller } from './tables.ts';

/** Refuses an invoice with a character that no font has, because its PDF could not show it. Names the field. */
export function assertPrintable(row: InvoiceRow, seller: KeptSeller): void {
  const { customer, lines, reference, memo, footer, locale, details } = row;
  assertPrintableTexts(locale, {
    ...textsOf('account', seller),
    ...textsOf('customer', customer),
    reference,
    memo,
    footer,
    buyer_reference: details.buyer_reference,
    order_number: details.order_number,
  });
  for (const [index, { description, unit, taxes, vat }] of lines.entries()) {
    const at = `lines[${index}]`;
    const named = taxes.map(({ name }, position) => [`${at}.taxes[${position}].name`, name] as const);
    assertPrintableTexts(locale, {
      [`${at}.description`]: description,
      [`${at}.unit`]: unit,
      [`${at}.vat.exemption_reason`]: vat?.exemption_reason ?? null,
      ...Object.fromEntries(named),
    });
  }
}

interface Party {
  readonly name: string | null;
  readonly email: string | null;
  readonly address: PostalAddress | null;
  readonly tax_id: string | null;
}

function textsOf(party: 'account' | 'customer', { name, email, address, tax_id: taxId }: Party) {
  const parts = Object.entries(address ?? {}).map(([field, text]) => [`${party}.address.${field}`, text] as const);
  const emailField = party === 'account' ? 'account.support_email' : 'customer.email';
  return { [`${party}.name`]: name, [emailField]: email, [`${party}.tax_id`]: taxId, ...Object.fromEntries(parts) };
}

/** Throws `parameter_invalid` if a text has a character that no font has. Names the first such field. */
export function assertPrintableTexts(locale: string, texts: Readonly<Record<string, string | null | undefined>>): void {
  for (const [param, text] of Object.entries(texts)) {
    const uncovered = text == null ? null : findUncovered(text, locale);
    if (uncovered === null) continue;
    const code = uncovered.character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
    const help = uncovered.package === null ? '' : `, or install ${uncovered.package} beside the server`;
    const fault =
      uncovered.character === '\ufffd'
        ? 'stands for a lost character. Write the text again.'
        : `no font here has. Write it in another script${help}.`;
    const message = `${param} contains “${uncovered.character}” (U+${code}), which ${fault}`;
    throw new PayError('parameter_invalid', message, { param });
  }
}
