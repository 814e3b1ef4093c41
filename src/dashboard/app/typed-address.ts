/** An address in the API's form. Each part is optional. */
type Address = { readonly [part in Part]?: string | null | undefined };
type Part = (typeof parts)[number];

const parts = ['line1', 'line2', 'postal_code', 'city', 'state', 'country'] as const;

/** The fields of an address in a form, in the order of typing. */
export const addressFields = [
  { label: 'Street', name: 'address.line1', maxLength: 200 },
  { label: 'Further line', name: 'address.line2', maxLength: 200 },
  { label: 'Post code', name: 'address.postal_code', maxLength: 20 },
  { label: 'City', name: 'address.city', maxLength: 100 },
  { label: 'State or region', name: 'address.state', maxLength: 100 },
  { label: 'Country', name: 'address.country', maxLength: 2, hint: 'Two letters, for example DE.' },
] as const;

/** The text of one field of {@link addressFields}. */
export const addressText = (address: Address | null | undefined, name: string): string =>
  address?.[name.slice('address.'.length) as Part] ?? '';

/** The address from the typed texts. Null if all parts are blank. */
export function typedAddress(texts: Readonly<Record<string, string>>): { [part in Part]?: string } | null {
  const filled = parts.flatMap(part => {
    const text = texts[`address.${part}`]?.trim();
    return text ? [[part, part === 'country' ? text.toUpperCase() : text] as const] : [];
  });
  return filled.length === 0 ? null : Object.fromEntries(filled);
}
