import type { Tx } from '../platform/db/database.ts';
import type { PaymentRow, ViewContext } from './payment.view.ts';

/** What happened to a payment. */
export interface FollowedChange {
  /** The payment as it was. Where a change has several steps, before the first of them. */
  readonly before: PaymentRow;
  /** The merchant's clock. */
  readonly now: Date;
}

/** Why money for a payment is not taken: `code` becomes the payment's failure. */
export interface MoneyRefusal {
  readonly code: string;
  /** Read by the payer. */
  readonly message: string;
}

/** Coins that have come for a payment and are about to be counted; the asset as the rates know it. */
export interface ArrivedCoins {
  readonly merchantId: string;
  readonly paymentId: string;
  readonly asset: string;
}

/**
 * A module for which payments are made, a link's or an invoice's: payments tell it what becomes of them. The composition
 * root lists the followers. Each hears of payments with `payment_link` or `invoice`, and leaves what is not its own.
 */
export interface PaymentFollower {
  /**
   * Called in the transaction of each change, with the payment as it is then. What it throws takes the change back: a
   * PayError refuses the step to whoever asked for it. A creation is no change.
   */
  onChange(tx: Tx, payment: PaymentRow, change: FollowedChange): Promise<void>;
  /**
   * Asked before money that has come is counted towards a payment that is open. A refusal ends the payment, so that the
   * money is late and never completes it; null takes it. Called in the transaction that counts it, the payment locked.
   */
  refuseMoney?(tx: Tx, payment: PaymentRow, now: Date): Promise<MoneyRefusal | null>;
  /** Told of coins before the transaction that counts them: what has to be asked outside for that is asked here, in time. */
  beforeCoins?(coins: readonly ArrivedCoins[]): Promise<void>;
}

/** What changing a payment needs besides the row. */
export interface ChangeContext extends ViewContext {
  readonly followers: readonly PaymentFollower[];
}

/** Tells the followers of the changes, in one order of what they belong to, so that transactions never wait in a circle. */
export async function tellFollowers(
  tx: Tx,
  { followers }: Pick<ChangeContext, 'followers'>,
  changed: readonly { readonly before: PaymentRow; readonly after: PaymentRow; readonly now: Date }[],
): Promise<void> {
  const followed = changed.filter(({ after }) => ownerOf(after) !== null);
  const ordered = followed.toSorted((a, b) => byOwner(a.after, b.after));
  for (const { before, after, now } of ordered) {
    for (const follower of followers) await follower.onChange(tx, after, { before, now });
  }
}

type Owned = Pick<PaymentRow, 'payment_link' | 'invoice'>;

/** The order in which payments are told of, and what they belong to is locked. */
export function byOwner(a: Owned, b: Owned): number {
  const [first, second] = [ownerOf(a) ?? '', ownerOf(b) ?? ''];
  return first < second ? -1 : first > second ? 1 : 0;
}

/** The link or invoice for which the payment was made; null when it was made by itself. */
export function ownerOf({ payment_link: link, invoice }: Owned): string | null {
  return link ?? invoice;
}
