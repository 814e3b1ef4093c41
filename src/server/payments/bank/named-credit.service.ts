import { isBlankRemittance, namesIn } from '../../../core/bank/remittance-names.ts';
import type { Executor } from '../../platform/db/database.ts';
import { runEach } from '../../platform/jobs/sweeper.ts';
import type { MerchantScope } from '../../platform/merchant.ts';
import type { BankCredit } from '../../rails/rail.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { findOpenPayments, type OwnerKey } from '../payment-owner.store.ts';
import type { PaymentPurpose } from '../payment-purpose.ts';
import { waitsForMoney } from '../payment-session.ts';
import type { PaymentRow } from '../tables.ts';
import { findCreditOwners } from '../transfer.store.ts';

/** A credit whose text may name the owner of a payment: an invoice by its number, or a link by its reference. */
interface NamingCredit extends Pick<BankCredit, 'merchantId' | 'reference' | 'currency' | 'amount'> {
  readonly references: readonly string[];
  /** The current time on the merchant's clock. */
  readonly now: Date;
}

type Deps = Pick<PaymentDeps, 'db' | 'purposes'>;

/** The only owner that the text names, with its purpose. Null if the text names no owner or several. */
async function findNamedOwner(
  { purposes }: Pick<Deps, 'purposes'>,
  db: Executor,
  scope: MerchantScope,
  text: string | null,
) {
  const names = text === null || isBlankRemittance(text) ? [] : namesIn(text);
  if (names.length === 0) return null;
  const found = [];
  for (const purpose of purposes) {
    const ids = (await purpose.findNamed?.(db, scope, names)) ?? [];
    found.push(...ids.map(id => ({ purpose, owner: { merchantId: scope.merchantId, type: purpose.type, id } })));
  }
  return found.length === 1 ? (found[0] ?? null) : null;
}

/**
 * The open payment that a credit pays by naming its owner. Payments of an invoice pay one debt: one with this remaining
 * amount is preferred, then any other. A link has different payers: only one payment may have this amount.
 */
export async function findByName(
  deps: Deps,
  db: Executor,
  scope: MerchantScope,
  { reference, currency, amount, now }: Pick<NamingCredit, 'reference' | 'currency' | 'amount' | 'now'>,
): Promise<PaymentRow | null> {
  const named = await findNamedOwner(deps, db, scope, reference);
  if (named === null) return null;
  const open = await findWaiting(db, named.owner, { currency, now });
  const exact = open.filter(payment => payment.amount - payment.amount_received === amount);
  if (named.purpose.paysOneAmount) return exact[0] ?? open[0] ?? null;
  // Another payer's transfer must not pay for a payer who wants to pay by card.
  const byBank = exact.filter(payment => payment.bank_rail !== null && payment.phase !== 'awaiting_payer');
  return byBank.length === 1 ? (byBank[0] ?? null) : null;
}

async function findWaiting(
  db: Executor,
  owner: OwnerKey,
  { currency, now }: Pick<NamingCredit, 'currency' | 'now'>,
): Promise<PaymentRow[]> {
  const open = (await findOpenPayments(db, owner)).filter(payment => payment.session_expires_at > now);
  return open.filter(payment => waitsForMoney(payment) && payment.currency === currency);
}

/**
 * Lets owners start a payment for credits that name them. For example, a customer may transfer for an invoice without
 * opening its page. Runs before the transaction that books the credits, because a new payment needs a rate.
 */
export async function prepareForNamed(
  deps: Deps,
  rail: { readonly id: string; readonly livemode: boolean },
  credits: readonly NamingCredit[],
): Promise<void> {
  const known = await findCreditOwners(deps.db, rail.id, credits);
  const others = credits.filter(
    ({ merchantId, references }) => !references.some(each => known.has(`${merchantId} ${each}`)),
  );
  // Several credits that name one owner pay one new payment together.
  const sums = new Map<string, { readonly purpose: PaymentPurpose; readonly owner: OwnerKey; credit: NamingCredit }>();
  await runEach(others, async credit => {
    const scope = { merchantId: credit.merchantId, livemode: rail.livemode };
    const named = await findNamedOwner(deps, deps.db, scope, credit.reference);
    if (named === null) return;
    const key = `${named.owner.type} ${named.owner.id} ${credit.currency}`;
    const amount = (sums.get(key)?.credit.amount ?? 0n) + credit.amount;
    sums.set(key, { ...named, credit: { ...credit, amount } });
  });
  await runEach([...sums.values()], async ({ purpose, owner, credit }) => {
    const open = await findWaiting(deps.db, owner, credit);
    if (open.length === 0) await purpose.startForCredit?.(owner, credit);
  });
}

/** Whether the text is blank or only the reference of a payment. Most texts are. */
export function isBareReference({
  reference,
  references: [found, ...more],
}: Pick<NamingCredit, 'reference' | 'references'>): boolean {
  if (reference === null || isBlankRemittance(reference)) return true;
  const plain = (text: string) => text.replace(/[^A-Za-z0-9]/g, '').toUpperCase();
  return found !== undefined && more.length === 0 && plain(found) === plain(reference);
}
