import type { RefundOutcome, RefundRequest } from '../../rails/rail.ts';
import type { PaymentDeps } from '../payment-deps.ts';

/** Money that goes back the way it came. */
export interface MoneyBack extends Omit<RefundRequest, 'destination'> {
  readonly rail: string;
  readonly livemode: boolean;
  /** Where to, when somebody said so. */
  readonly destination: Readonly<Record<string, string>> | null;
  /** Who sent it, as the rail told. */
  readonly sender: string | null;
  /** How often the rail was asked to send it, this time included. */
  readonly attempts: number;
  /** How often somebody said anew where it is to go. */
  readonly directions: number;
}

/** A rail as far as it can send money back. */
interface Returner {
  refund(): Promise<RefundOutcome>;
  status(): Promise<RefundOutcome | null>;
}

/**
 * Asks a rail to send money back, once: asked before, it is first asked what became of that. On a chain it goes to its
 * sender unless another address was given; without either it waits.
 */
export async function sendBack(deps: Pick<PaymentDeps, 'rails' | 'crypto'>, back: MoneyBack): Promise<RefundOutcome> {
  const returner = returnerOf(deps, back);
  if (returner === null) return { state: 'unknown' };
  const known = back.attempts > 1 ? await returner.status() : null;
  return known !== null && known.state !== 'unknown' ? known : await returner.refund();
}

function returnerOf({ rails, crypto }: Pick<PaymentDeps, 'rails' | 'crypto'>, back: MoneyBack): Returner | null {
  const rail = [rails.card, ...rails.banks].find(candidate => candidate?.id === back.rail);
  if (rail) return { refund: () => rail.refund(back), status: () => rail.refundStatus(back.refundId, back.now) };
  const refunds = crypto.find(({ chain, livemode }) => chain.id === back.rail && livemode === back.livemode)?.refunds;
  const address = back.destination?.['address'] ?? back.sender;
  if (!refunds || address === null) return null;
  const destination = { ...back.destination, address };
  return {
    refund: () => refunds.refund({ ...back, destination }),
    // Asked again it answers where the refund stands, and knows of which address.
    status: async () => null,
  };
}
