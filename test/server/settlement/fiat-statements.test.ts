import { afterAll, beforeAll, expect, it } from 'vitest';
import { costOf, logStatements, type StatementLog } from '../../support/statements.ts';
import { accountOf, type FiatLab, startFiatLab } from './fiat-lab.ts';

let log: StatementLog;
let lab: FiatLab;
beforeAll(async () => {
  log = logStatements();
  lab = await startFiatLab({ asset: 'EUR', destination: accountOf('Ada Lovelace') });
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
  log.stop();
});

const sweeps = ['settlements.fiat', 'settlements.close'];
/** Seconds after which the bank has answered. The merchant's own clock would start all sweeps, which are counted too. */
const untilPaid = 4 * 86_400;

/** The statements that begin the settlement of this many payments; by payment, they also pay it out. */
async function statementsOf(count: number): Promise<number> {
  for (let made = 0; made < count; made++) await lab.createPaid({ settlement_asset: 'EUR', currency: 'USD' });
  log.clear();
  await lab.sweep(...sweeps);
  const begun = costOf(log.statements).roundTrips;
  lab.clock.advance(untilPaid);
  await lab.arrive();
  return begun;
}

it.each(['payment', 'daily'])(
  'settling by %s takes as many statements for 12 payments as for 3',
  async batch => {
    await lab.settleTo({ batch });
    // The first run reads the columns of tables.
    await statementsOf(1);
    const few = await statementsOf(3);
    expect(await statementsOf(12)).toBe(few);
    expect(few).toBeLessThan(60);
    const all = await lab.settlements();
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set(['paid']));
    expect(all[0]?.payments).toBe(batch === 'daily' ? 12 : 1);
  },
  60_000,
);

it('marks the payments of a paid settlement with as many statements for 12 payments as for 3', async () => {
  const marking = async (count: number) => {
    for (let made = 0; made < count; made++) await lab.createPaid({ settlement_asset: 'EUR' });
    await lab.sweep(...sweeps);
    lab.clock.advance(untilPaid);
    await lab.arrive();
    const { id } = await lab.newest();
    expect(await lab.newest()).toMatchObject({ status: 'paid', payments: count });
    await lab.database.pool.query('update settlements set due_at = paid_at, marked_after = null where id = $1', [id]);
    log.clear();
    await lab.sweep('settlements.close');
    return costOf(log.statements).roundTrips;
  };
  await marking(1);
  const few = await marking(3);
  // Less is a search that found nothing due.
  expect(few).toBeGreaterThan(4);
  expect(await marking(12)).toBe(few);
}, 60_000);
