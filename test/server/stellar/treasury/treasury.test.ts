import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Event } from '../../../../src/api/event.ts';
import { sandboxAssets } from '../../../../src/sandbox/stellar/index.ts';
import type { StellarAccount } from '../../../../src/server/stellar/network.ts';
import {
  channelsWanted,
  firstChannels,
  mostChannels,
  treasuryLacks,
} from '../../../../src/server/stellar/treasury/treasury-setup.service.ts';
import {
  crossing,
  type TreasuryWatchDeps,
  watchTreasury,
} from '../../../../src/server/stellar/treasury/treasury-watch.service.ts';
import { type SettlementLab, startSettlementLab } from '../../settlement/settlement-lab.ts';
import { queueTransfer } from './outbound-lab.ts';

const assets = Object.values(sandboxAssets);
const unit = 10_000_000n;
let lab: SettlementLab;
beforeAll(async () => {
  lab = await startSettlementLab();
}, 60_000);
afterAll(() => lab.close());

const line = (asset: string, spendable: bigint, authorized = true) => ({
  asset,
  balance: spendable,
  room: 0n,
  spendable,
  authorized,
});
const accountOf = (...balances: StellarAccount['balances'][number][]): StellarAccount => ({
  address: lab.treasury,
  sequence: 1n,
  balances,
  memoRequired: true,
  signers: [],
  mediumThreshold: 0,
});

describe('the treasury of a fresh sandbox', () => {
  it('exists, can hold the payers’ assets, requires memos, and has funds', async () => {
    const account = await lab.account(lab.treasury);
    expect(account?.memoRequired).toBe(true);
    for (const asset of assets) {
      expect(account?.balances.find(balance => balance.asset === asset)?.spendable).toBeGreaterThan(1_000n * unit);
    }
  });

  it('shows its affordable amounts on /metrics', async () => {
    await lab.until('the treasury was looked at', async () =>
      (await lab.request('GET /metrics', { key: null })).text.includes('pay_treasury_spendable{'),
    );
    const { text } = await lab.request('GET /metrics', { key: null });
    for (const asset of ['XLM', ...assets]) {
      const value = new RegExp(`pay_treasury_spendable{asset="${asset}"} ([\\d.e+]+)`).exec(text)?.[1];
      expect(Number(value)).toBeGreaterThan(1_000);
    }
  });

  it('opens more channels when transfers wait for them', async () => {
    const payee = (await lab.openAccount()).publicKey();
    const count = async () => {
      const { rows } = await lab.database.pool.query('select count(*)::int as count from channel_accounts');
      return rows[0].count as number;
    };
    expect(await count()).toBe(firstChannels);
    // Different memos, so that transfers cannot share a transaction.
    for (let index = 0; index < 30; index++) {
      const memo = { type: 'id', value: String(index) } as const;
      await queueTransfer(lab, { destination: payee, asset: 'XLM', amount: unit, memo });
    }
    await lab.until('all are sent', async () => {
      const { rows } = await lab.database.pool.query(
        `select count(*)::int as count from outbound_transfers where state = 'completed'`,
      );
      return rows[0].count === 30;
    });
    // Channels open in the background, perhaps after all transfers are sent.
    await lab.until('there are more channels', async () => (await count()) > firstChannels);
    expect(await count()).toBeLessThanOrEqual(mostChannels);
  }, 40_000);
});

describe('a waiting transfer', () => {
  it('is shown on /metrics, and as a remark after a long time', async () => {
    const text = async () => (await lab.request('GET /metrics', { key: null })).text;
    const destination = (await lab.openAccount()).publicKey();
    const { id } = await queueTransfer(lab, { destination, asset: 'XLM', amount: 900_000_000n * unit });
    await lab.database.pool.query(
      `update outbound_transfers set state = 'held', failure_code = 'day_cap', due_at = now() + interval '1 day',
         queued_at = now() - interval '10 minutes' where id = $1`,
      [id],
    );
    await lab.sweep('outbound.backlog');
    expect(await text()).toContain('pay_transfers_waiting{state="held: day_cap"} 1');
    expect(Number(/pay_transfers_waiting_seconds (\d+)/.exec(await text())?.[1])).toBeGreaterThanOrEqual(600);
    const { body } = await lab.request('GET /readyz', { key: null });
    expect(body.remarks).toEqual([expect.stringMatching(/^transfers: 1 held \(day_cap\), the oldest for 6\d\d s$/)]);
    await lab.database.pool.query('delete from outbound_transfers where id = $1', [id]);
  });
});

describe('the missing setup of the treasury', () => {
  it.each<[string, StellarAccount['balances'][number][], boolean, object]>([
    ['all of it', [], false, { trustlines: ['USD:G1', 'EUR:G2'], memoEntry: true }],
    ['a trustline', [line('USD:G1', 0n)], true, { trustlines: ['EUR:G2'], memoEntry: false }],
    ['none of it', [line('USD:G1', 0n), line('EUR:G2', 0n)], true, { trustlines: [], memoEntry: false }],
  ])('is determined: %s', (_, balances, memoRequired, lacks) => {
    const account = { ...accountOf(...balances), memoRequired };
    expect(treasuryLacks(account, ['XLM', 'USD:G1', 'EUR:G2', `OWN:${lab.treasury}`])).toEqual(lacks);
  });

  it('includes at most as many channels as fill two ledgers', () => {
    expect([0, 2, 19, 20].map(have => channelsWanted(have, 100))).toEqual([20, 20, 20, 20]);
    expect([0, 2, 9].map(have => channelsWanted(have, 0))).toEqual([4, 4, 9]);
  });
});

describe('a low balance alert', () => {
  const [USDC = ''] = assets;
  let account: StellarAccount | null;
  const deps = () =>
    ({
      db: lab.database.db,
      network: { account: async () => account },
      signer: { treasury: 'G_TEST' },
      log: { error: () => undefined },
      clock: { now: () => new Date() },
      assets: [USDC],
      livemode: false,
      floors: () => 100n * unit,
      operator: async () => lab.merchant.id,
    }) as unknown as TreasuryWatchDeps;
  const alarms = async () => {
    const { data } = (await lab.request('GET /v1/events?limit=100')).body as { data: Event[] };
    return data
      .filter(({ type }) => type.startsWith('treasury.'))
      .sort((a, b) => a.sequence - b.sequence)
      .map(({ type, data: { object } }) => `${type} ${(object as { asset: string }).asset.split(':')[0]}`);
  };
  const see = async (...balances: StellarAccount['balances'][number][]) => {
    account = accountOf(...balances);
    await watchTreasury(deps());
  };

  it('is raised once each time an asset falls below its minimum, by any number of servers', async () => {
    await see(line('XLM', 500n * unit), line(USDC, 500n * unit));
    expect(await alarms()).toEqual([]);
    account = accountOf(line('XLM', 500n * unit), line(USDC, 99n * unit));
    await Promise.all(Array.from({ length: 5 }, () => watchTreasury(deps())));
    expect(await alarms()).toEqual(['treasury.low USDC']);
    // A balance just above the floor does not rearm the alarm.
    await see(line('XLM', 500n * unit), line(USDC, 101n * unit));
    await see(line('XLM', 500n * unit), line(USDC, 98n * unit));
    expect(await alarms()).toEqual(['treasury.low USDC']);
    await see(line('XLM', 500n * unit), line(USDC, 500n * unit));
    await see(line('XLM', 500n * unit), line(USDC, 50n * unit));
    expect(await alarms()).toEqual(['treasury.low USDC', 'treasury.low USDC']);
  });

  it('is raised when an issuer freezes the treasury’s asset, and when the account is gone', async () => {
    await see(line('XLM', 500n * unit), line(USDC, 500n * unit, false));
    await see(line('XLM', 500n * unit), line(USDC, 500n * unit, false));
    expect((await alarms()).filter(text => text.startsWith('treasury.frozen'))).toEqual(['treasury.frozen USDC']);
    account = null;
    await watchTreasury(deps());
    expect(await alarms()).toContain('treasury.low XLM');
  });

  it.each([
    [false, 99n, 'low'],
    [false, 100n, null],
    [true, 99n, null],
    [true, 109n, null],
    [true, 110n, 'filled'],
  ] as const)('with %s before and %i of 100 is %s', (wasLow, spendable, expected) => {
    expect(crossing(wasLow, spendable, 100n)).toBe(expected);
  });
});
