import { type BenchApp, startBenchApp } from '../bench-app.ts';
import type { Measure } from '../table.ts';
import { mobileRow } from './rows.ts';

const few = 100;
/** A number close to the largest that is booked at once. */
const full = 400;
/** Additional statements per further hundred payouts: one inserts the payouts with their events. */
const perHundred = { accepting: 1, sending: 0, booking: 0 } as const;

/** Counts the SQL statements that accept, send and book a batch. `perHundred` says how they grow with the batch. */
export async function benchStatements(folder: string): Promise<Measure[]> {
  const bench = await startBenchApp(folder);
  await bench.post('/v1/test_helpers/fund', { currency: 'USD', amount: 1_000_000_00 });
  await countSteps(bench, few);
  await countSteps(bench, full);
  const one = await countSteps(bench, few);
  const whole = await countSteps(bench, full);
  await bench.stop();
  return Object.entries(perHundred).map(([name, more]) => {
    const step = name as keyof typeof perHundred;
    return {
      name: `statements of ${step} ${few} payouts and ${full}`,
      value: `${one[step]} and ${whole[step]}`,
      target: more === 0 ? 'the same' : `${more} more for each further hundred`,
      met: whole[step] - one[step] === (more * (full - few)) / 100,
    };
  });
}

async function countSteps(bench: BenchApp, count: number) {
  const statementsOf = async (work: () => Promise<unknown>) => {
    const before = bench.statements();
    await work();
    return bench.statements() - before;
  };
  const payouts = Array.from({ length: count }, (_, index) => mobileRow(index));
  const accepting = await statementsOf(() => bench.post('/v1/payouts/bulk', { payouts }));
  const sending = await statementsOf(() => bench.run('payouts.send', 'outbound.payouts'));
  // The mobile-money operator pays one second later.
  bench.advance(10);
  const booking = await statementsOf(() => bench.run('outbound.payouts', 'outbound.book'));
  const { rows } = await bench.database.pool.query(
    "select count(*)::int as open from payouts where status <> 'completed'",
  );
  if (rows[0].open !== 0) throw new Error(`${rows[0].open} payouts were not paid`);
  return { accepting, sending, booking };
}
