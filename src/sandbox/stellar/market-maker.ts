import type { OperationWire } from '@stellar/stellar-sdk/xdr';
import { native } from './core/ledger-asset.ts';
import { inventory } from './first-transactions.ts';
import type { Ledger, Offer } from './ledger.ts';
import type { MarketPlan, PlannedOffer } from './market-plan.ts';
import type { Confirmations } from './node/confirmations.ts';
import { rootKey } from './node/genesis.ts';
import type { LedgerNode } from './node/ledger-node.ts';
import type { SandboxKey } from './sandbox-key.ts';
import { operation, payment, sellOffer, signedEnvelope } from './sandbox-transaction.ts';
import { seededAssets, seededKeys } from './seeds.ts';

/** What keeping the market up stands on. */
export interface MarketMakerDeps {
  readonly node: LedgerNode;
  readonly confirmations: Confirmations;
  readonly plan: MarketPlan;
  readonly log: { error(details: object, message: string): void };
}

const patienceMs = 30_000;

/**
 * Looks after each ledger whether what was planned is still offered, and fills up what is less than half of it, from
 * the issuers where the market itself runs low. Any number of processes may do so at once: a ledger takes one
 * transaction of the market.
 */
export function keepMarket({ node, confirmations, plan, log }: MarketMakerDeps): void {
  let busy = false;

  async function look(): Promise<void> {
    const ledger = await node.current();
    const repair = planRepair(ledger, plan);
    if (repair.operations.length === 0) return;
    const source = seededKeys().market;
    const sequence = ledger.account(source.address)?.sequence ?? 0n;
    const { status, hash } = await node.submit(signedEnvelope({ source, sequence, ...repair }));
    if (status === 'PENDING') await confirmations.wait(hash, patienceMs);
  }

  node.onLedger(() => {
    if (busy) return;
    busy = true;
    look()
      .catch(err => log.error({ err }, 'the market of the sandbox network could not be filled up'))
      .finally(() => {
        busy = false;
      });
  });
}

interface Repair {
  readonly operations: readonly OperationWire[];
  readonly cosigners: readonly SandboxKey[];
}

/** Operations that a transaction may have. */
const mostOperations = 100;
/** Keys that may sign besides the market’s: a transaction has at most 20 signatures. */
const mostCosigners = 19;

/** What brings the market back to its plan, as far as it fits in one transaction. */
function planRepair(ledger: Ledger, plan: MarketPlan): Repair {
  const offers = ledger.offersOf(seededKeys().market.address);
  const supplies = suppliesFor(ledger).slice(0, mostCosigners);
  const quotes = plan.offers.flatMap(planned => quoteFor(planned, offers));
  return {
    operations: [...supplies.map(({ body, from }) => operation(body, from.address)), ...quotes].slice(
      0,
      mostOperations,
    ),
    cosigners: supplies.map(({ from }) => from),
  };
}

/** An offer that has lost more than half of what was planned is set back to it; one that is gone is made anew. */
function quoteFor(planned: PlannedOffer, offers: readonly Offer[]): readonly OperationWire[] {
  const standing = offers.filter(
    ({ selling, buying, price }) =>
      selling === planned.selling &&
      buying === planned.buying &&
      price.n === planned.price.n &&
      price.d === planned.price.d,
  );
  const left = standing.reduce((sum, { amount }) => sum + amount, 0n);
  if (left * 2n >= planned.amount) return [];
  return [operation(sellOffer({ ...planned, offerId: standing[0]?.id ?? 0n }))];
}

interface Supply {
  readonly from: SandboxKey;
  readonly body: OperationWire['body'];
}

/** What the market has less than a third of comes from its issuer; XLM comes from the root account. */
function suppliesFor(ledger: Ledger): readonly Supply[] {
  const { market } = seededKeys();
  const lines = new Map(ledger.trustlines(market.address).map(({ asset, balance }) => [asset, balance]));
  const issued = seededAssets().flatMap(({ asset, issuer }) =>
    supply(issuer, asset, lines.get(asset) ?? 0n, inventory),
  );
  const xlm = ledger.account(market.address)?.balance ?? 0n;
  return [...issued, ...supply(rootKey(), native, xlm, xlmInventory)];
}

/** 20 billion XLM, in stroops. */
const xlmInventory = 200_000_000_000_000_000n;

function supply(from: SandboxKey, asset: string, balance: bigint, wanted: bigint): readonly Supply[] {
  if (balance * 3n >= wanted) return [];
  return [{ from, body: payment(seededKeys().market.address, asset, wanted - balance) }];
}
