import { failsForAll } from '../../platform/db/outage.ts';
import { createPauses } from '../../platform/jobs/pauses.ts';
import { runEach, runTogether, type Sweep } from '../../platform/jobs/sweeper.ts';
import type { ConversionBegin } from '../conversions/conversion-begin.service.ts';
import { beginGroup, type DueGroup } from './begin.service.ts';
import { workOn } from './close.service.ts';
import type { FiatDeps } from './fiat-deps.ts';
import { dueSettlements, findDueSettlements } from './settlement.store.ts';

/** Maximum number of payments that one transaction begins to settle. */
const mostPayments = 1_000;
/** Maximum number of settlements of one batch, each in its own transaction. */
const mostSettlements = 20;
/** Seconds until a failed settlement is tried again. Other settlements continue in the meantime. */
const pauseSeconds = 30;

/**
 * The sweeps that settle payments in currencies: they begin, close and end settlements. `convert` starts the conversions
 * of crypto, and returns the payments that need not wait for one.
 */
export function fiatSweeps(deps: FiatDeps, convert: ConversionBegin): Sweep[] {
  return [
    { name: 'settlements.fiat', due: [deps.fiatSettlements.due], run: () => beginDue(deps, convert) },
    { name: 'settlements.close', due: [dueSettlements], run: createClosing(deps) },
  ];
}

async function beginDue(deps: FiatDeps, convert: ConversionBegin): Promise<number> {
  const due = await deps.fiatSettlements.findDue(mostPayments);
  const groups = Map.groupBy(due, ({ merchantId, livemode, currency }) => `${merchantId} ${livemode} ${currency}`);
  await runEach([...groups.values()], payments =>
    runTogether(payments, async some => {
      const group = groupOf(some);
      if (group === null) return;
      const ready = await convert(group);
      if (ready.length > 0) await beginGroup(deps, { ...group, payments: ready });
    }),
  );
  return due.length;
}

function groupOf(payments: DueGroup['payments']): DueGroup | null {
  const [first] = payments;
  if (first === undefined) return null;
  const { merchantId, livemode, currency, clock: now } = first;
  return { merchantId, livemode, currency, payments, now };
}

/** Closes or marks due settlements. One that fails waits alone. */
function createClosing(deps: FiatDeps): () => Promise<number> {
  const pauses = createPauses(deps.clock, pauseSeconds);
  return async () => {
    const request = { now: deps.clock.now(), limit: mostSettlements, except: pauses.current() };
    const due = await findDueSettlements(deps.db, request);
    await runEach(due, async ({ merchant_id: merchantId, id, clock: now }) => {
      try {
        await workOn(deps, { merchantId, id, now });
      } catch (err) {
        // When the database is unreachable, the failure says nothing about the settlement.
        if (failsForAll(err)) throw err;
        pauses.add(id);
        deps.log.error({ err, merchant: merchantId, settlement: id }, 'a settlement failed and will be tried again');
      }
    });
    return due.length;
  };
}
