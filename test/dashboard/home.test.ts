import '../../src/dashboard/home/home-page.ts';
import { expect } from '@open-wc/testing';
import type { Overview } from '../../src/api/client.ts';
import { noticeTime } from '../../src/dashboard/app/session.ts';
import { todayOf } from '../../src/dashboard/home/figures.ts';
import { paidPayment } from '../element/support/example-payment.ts';
import { find, mountPage, serviceOf, settle, textOf, tidyUp, waitUntil } from './support/mounted.ts';

afterEach(tidyUp);

const day = (index: number) => new Date(2026, 10, index).toISOString();
const statuses = { created: 10, pending: 1, completed: 7, failed: 1, refunded: 1 };
const paidIn = (currency: string, paid: number, volume: number) => ({ currency, paid, volume, refunded_amount: 0 });

const overview: Overview = {
  object: 'overview',
  from: '2026-11-01',
  to: '2026-11-15',
  interval: 'day',
  timezone: 'UTC',
  counts: { ...statuses, success_rate: 0.889 },
  amounts: [paidIn('USD', 2, 900), paidIn('EUR', 6, 64_000)],
  by_method: [
    { method: 'card', ...statuses, completed: 5, success_rate: 0.9, amounts: [] },
    { method: 'crypto', ...statuses, completed: 1, success_rate: 1, amounts: [] },
  ],
  by_asset: [{ settlement_asset: `USDC:G${'A'.repeat(55)}`, amounts: [paidIn('EUR', 6, 64_000)] }],
  series: Array.from({ length: 15 }, (_, index) => ({
    start: day(index + 1),
    ...statuses,
    amounts: [paidIn('EUR', 1, index === 14 ? 2_360 : 2_000)],
  })),
  money: [{ currency: 'EUR', settled: 2_418_055, in_balance: 0, waiting: 6_420 }],
  attention: [
    { kind: 'payments_overpaid', count: 1, has_more: false, url: '/v1/payments?exception=overpaid' },
    {
      kind: 'refunds_without_destination',
      count: 2,
      has_more: false,
      url: '/v1/refunds?requires_destination=true',
    },
    { kind: 'transfers_unmatched', count: 100, has_more: true, url: '/v1/transfers?status=unmatched' },
  ],
  livemode: false,
  generated_at: day(15),
};

const nothing: Overview = {
  ...overview,
  counts: { created: 0, pending: 0, completed: 0, failed: 0, refunded: 0, success_rate: null },
  amounts: [],
  by_method: [],
  by_asset: [],
  series: [],
  money: [],
  attention: [],
};

async function open(figures: Overview, payments: readonly object[] = [paidPayment()]) {
  const list = { object: 'list', url: '', has_more: false, data: payments };
  const service = serviceOf({ 'GET /v1/reports/overview': figures, 'GET /v1/payments': list });
  const mounted = await mountPage('pay-home-page');
  await waitUntil(() => textOf(mounted.page).includes('Needs you'));
  await settle(mounted.page);
  return { ...mounted, service };
}

describe('home', () => {
  it('says what came in, what reached the account, and what needs a person', async () => {
    const { page } = await open(overview);
    const text = textOf(page);
    for (const words of [
      'Today €23.60 +18 % on Sundays',
      'Settled €24,180.55 €64.20 waiting',
      'Needs you 1 overpaid payment 2 refunds wait for their payers More than 100 transfers without a payment',
      'Paid · last 30 days €640.00',
      'of the payments that ended were paid',
    ]) {
      expect(text).to.contain(words);
    }
    expect(find(page, 'a', '1 overpaid payment').getAttribute('href')).to.equal(
      '/dashboard/payments?exception=overpaid',
    );
    expect(find(page, 'a', '2 refunds wait for their payers').getAttribute('href')).to.equal(
      '/dashboard/payments?refund_requires_destination=true',
    );
    await waitUntil(() => find(page, 'canvas'));
    await expect(page).to.be.accessible();
  });

  it('shows another currency and another period', async () => {
    const { page, service } = await open(overview);
    const choose = (name: string, value: string) => {
      const select = find<HTMLSelectElement>(page, 'select', name);
      select.value = value;
      select.dispatchEvent(new Event('change'));
    };
    choose('Currency', 'USD');
    await settle(page);
    expect(textOf(page)).to.contain('last 30 days $9.00');
    choose('Period', '7');
    await waitUntil(() => textOf(page).includes('last 7 days'));
    expect(service.callsOf('GET /v1/reports/overview')).to.have.length(2);
    noticeTime(new Date(Date.now() + 30 * 86_400_000).toISOString());
    choose('Period', '7');
    await waitUntil(() => service.callsOf('GET /v1/reports/overview').length === 3);
    const days = service.callsOf('GET /v1/reports/overview').map(({ query }) => Date.parse(query.get('from') ?? ''));
    expect(((days[2] ?? 0) - (days[1] ?? 0)) / 86_400_000).to.equal(30);
  });

  it('reads what needs a person again after any event', async () => {
    const { page, service, live } = await open({ ...overview, attention: [] });
    live.start(page.app.client, 'home');
    await waitUntil(() => service.callsOf('GET /v1/events/stream').length === 1);
    service.answers['GET /v1/reports/overview'] = overview;
    service.tell('dispute.created', { id: 'dp_1' });
    await waitUntil(() => textOf(page).includes('1 overpaid payment'));
    live.stop();
  });

  it('teaches the first payment', async () => {
    const { page } = await open(nothing, []);
    expect(textOf(page)).to.contain('Nothing needs you.');
    expect(textOf(page)).to.contain('Take your first payment');
    await expect(page).to.be.accessible();
  });

  it('compares today with the same weekday before', () => {
    const days = (...amounts: number[]) => amounts.map((amount, index) => ({ at: day(index + 1), amount }));
    expect(todayOf(days(10, 1, 1, 1, 1, 1, 1, 5)).change?.percent).to.equal(-50);
    expect(todayOf(days(1, 1, 5)).change).to.equal(null);
    expect(todayOf([])).to.deep.equal({ amount: 0, change: null });
  });
});
