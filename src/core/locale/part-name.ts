/** A part of received money, as the API describes it. */
interface Part {
  readonly method: 'card' | 'bank_transfer' | 'crypto';
  readonly rail: string | null;
  readonly chain: string | null;
  readonly asset: string;
  readonly card: { readonly brand: string; readonly last4: string } | null;
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** The name of a part: `Visa •••• 4242`, `Bank transfer · SEPA`, `USDC · Stellar`. `methods` are the methods' names. */
export function partName(part: Part, methods: Readonly<Record<Part['method'], string>>): string {
  const { method, rail, chain, asset, card } = part;
  if (card !== null) return `${capital(card.brand)} •••• ${card.last4}`;
  if (chain !== null) return `${asset.split(':')[0]} · ${capital(chain)}`;
  return method === 'bank_transfer' && rail !== null ? `${methods[method]} · ${rail.toUpperCase()}` : methods[method];
}
