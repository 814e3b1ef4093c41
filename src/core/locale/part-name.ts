import { mobileMoneyNames } from '../mobile-money/names.ts';

/** A part of received money, as the API describes it. */
interface Part {
  readonly method: 'card' | 'bank_transfer' | 'crypto' | 'mobile_money';
  readonly rail: string | null;
  readonly chain: string | null;
  readonly asset: string;
  readonly card: { readonly brand: string; readonly last4: string } | null;
  /** The last digits of the phone that paid, such as `•••456`. */
  readonly phone?: string | null;
}

/** Names of card brands that are more than the capitalized code. */
const brands: Readonly<Record<string, string>> = {
  amex: 'American Express',
  diners: 'Diners Club',
  jcb: 'JCB',
  unionpay: 'UnionPay',
};

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** The displayed name of a card brand: `Visa`, `American Express`. */
const brandName = (brand: string): string => brands[brand] ?? capital(brand);

/** Brand and last digits of a card: `Visa •••• 4242`. */
export const cardName = ({ brand, last4 }: { readonly brand: string; readonly last4: string }): string =>
  `${brandName(brand)} •••• ${last4}`;

/** The name of a part: `Visa •••• 4242`, `Bank transfer · SEPA`, `USDC · Stellar`, `MTN MoMo · •••456`. */
export function partName(part: Part, methods: Readonly<Record<Part['method'], string>>): string {
  const { method, rail, chain, asset, card, phone } = part;
  if (card !== null) return cardName(card);
  if (chain !== null) return `${asset.split(':')[0]} · ${capital(chain)}`;
  if (method === 'mobile_money' && rail !== null) {
    const operator = mobileMoneyNames[rail] ?? capital(rail);
    return phone ? `${operator} · ${phone}` : operator;
  }
  return method === 'bank_transfer' && rail !== null ? `${methods[method]} · ${rail.toUpperCase()}` : methods[method];
}
