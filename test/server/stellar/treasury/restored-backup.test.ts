import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Event } from '../../../../src/api/event.ts';
import type { TreasuryChannels } from '../../../../src/api/treasury.ts';
import type { OutboundRow } from '../../../../src/server/outbound/outbound.ts';
import { isAhead } from '../../../../src/server/stellar/treasury/sequence-watch.service.ts';
import { startServer } from '../../../sandbox/stellar/stellar-lab.ts';
import { type SettlementLab, startSettlementLab } from '../../settlement/settlement-lab.ts';
import { queueTransfer, readTransfer } from './outbound-lab.ts';

const unit = 10_000_000n;
let lab: SettlementLab;
let payee: string;
beforeAll(async () => {
  lab = await startSettlementLab();
  payee = (await lab.openAccount()).publicKey();
}, 60_000);
afterAll(() => lab.close());

const queue = (): Promise<OutboundRow> => queueTransfer(lab, { destination: payee, asset: 'XLM', amount: unit });
const stateOf = async (row: OutboundRow) => (await readTransfer(lab, row)).state;
const sent = async (row: OutboundRow) =>
  await lab.until('it is sent', async () => (await stateOf(row)) === 'completed');
const received = async () => Number(await lab.holds(payee, 'XLM'));

/** The service's records of its transfers, without the sandbox's ledger. */
const tables = ['outbound_transfers', 'carriers', 'carrier_claims', 'carrier_hashes', 'carrier_transfers'];
const run = (sql: string) => lab.database.pool.query(sql);
async function backUp(): Promise<void> {
  await run('create schema backup');
  for (const table of [...tables, 'channel_accounts']) {
    await run(`create table backup.${table} as select * from ${table}`);
  }
}
async function restore(): Promise<void> {
  for (const table of [...tables, 'channel_accounts']) {
    await run(`delete from ${table}`);
    await run(`insert into ${table} select * from backup.${table}`);
  }
}

/** Starts another server. Returns its remarks and metrics. */
async function startAnother(settings: Readonly<Record<string, string>> = {}) {
  const server = await startServer(lab, { PAY_SANDBOX_LEDGER_MS: '60', ...settings });
  const base = server.url.replace('/sandbox/horizon', '');
  return {
    stop: server.stop,
    remarks: async (): Promise<string[]> => (await (await fetch(`${base}/readyz`)).json()).remarks ?? [],
    metrics: async () => await (await fetch(`${base}/metrics`)).text(),
  };
}

describe('a database that is older than the sent transactions', () => {
  it('sends nothing, reports it, and continues after the operator’s confirmation', async () => {
    await sent(await queue());
    await lab.app.sweeper.stop();
    const [again, once] = [await queue(), await queue()];
    await backUp();
    // After the backup, only the first of the two transfers is sent.
    await run(
      `update outbound_transfers set due_at = now() + interval '1 hour', state = 'held' where id = '${once.id}'`,
    );
    lab.app.sweeper.start();
    await sent(again);
    await lab.app.sweeper.stop();
    const before = await received();
    await restore();

    const wary = await startAnother();
    await lab.until('it says so', async () =>
      (await wary.remarks()).some(text => text.includes('PAY_TREASURY_RESUME')),
    );
    await sleep(1_500);
    expect(await received()).toBe(before);
    expect([await stateOf(again), await stateOf(once)]).toEqual(['queued', 'queued']);
    expect(await wary.metrics()).toMatch(/^pay_treasury_channels_ahead [1-9]/m);
    const { data } = (await lab.request('GET /v1/events?limit=100')).body as { data: Event[] };
    const alarms = data.filter(({ type }) => type === 'treasury.out_of_step');
    expect(alarms).toHaveLength(1);
    const alarm = alarms[0]?.data.object as TreasuryChannels;
    expect(alarm).toMatchObject({ object: 'treasury_channels', account: lab.treasury });
    await wary.stop();

    await run(
      `update outbound_transfers set state = 'completed', reference = 'abc', ledger = 7, sent_amount = amount, ended_at = now()
       where id = '${again.id}' and state in ('queued', 'held')`,
    );
    const resumed = await startAnother({ PAY_TREASURY_RESUME: alarm.resume_code });
    await sent(once);
    expect(await received()).toBe(before + 1);
    expect(await resumed.remarks()).toEqual([]);
    expect(await resumed.metrics()).toMatch(/^pay_treasury_channels_ahead 0/m);
    await resumed.stop();

    const later = await startAnother();
    await sent(await queue());
    await later.stop();
  }, 60_000);
});

describe('a channel', () => {
  it.each([
    ['is consistent when its account is new and unused', 5n << 32n, 0n, false],
    ['is ahead when it was used without a stored transaction', (5n << 32n) + 1n, 0n, true],
    ['is consistent at its stored sequence', (5n << 32n) + 3n, (5n << 32n) + 3n, false],
    ['is consistent with a pending transaction', (5n << 32n) + 3n, (5n << 32n) + 4n, false],
    ['is ahead when its sequence exceeds the stored one', (5n << 32n) + 4n, (5n << 32n) + 3n, true],
  ])('%s', (_, used, explained, expected) => {
    expect(isAhead(used, explained)).toBe(expected);
  });
});
