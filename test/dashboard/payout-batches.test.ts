import '../../src/dashboard/payouts/batch-page.ts';
import '../../src/dashboard/payouts/new-batch-page.ts';
import { expect } from '@open-wc/testing';
import { listOf, Refusal } from './support/fake-service.ts';
import { deep, find, mountPage, serviceOf, settle, textOf, tidyUp, waitUntil } from './support/mounted.ts';

afterEach(tidyUp);

const counts = { total: 240, accepted: 238, rejected: 2, pending: 238, completed: 0, failed: 0 };

function exampleBatch(fields: object = {}) {
  return {
    id: 'pbat_1',
    object: 'payout_batch',
    status: 'processing',
    counts,
    statuses: { queued: 238 },
    totals: [{ currency: 'EUR', amount: 1_820_410, fee: 2_241, count: 238 }],
    errors: [
      {
        index: 57,
        param: 'payouts[57].destination.iban',
        code: 'invalid_iban',
        message: 'payouts[57].destination.iban has wrong check digits. Compare it with the recipient’s.',
      },
      {
        index: 170,
        param: 'payouts[170].destination.address',
        code: 'no_trustline',
        message: 'The account has no trustline for the asset.',
      },
    ],
    schedule: { type: 'immediate' },
    next_runs: [],
    recurring_batch: null,
    occurrence_at: null,
    approval: null,
    dry_run: false,
    payouts_url: null,
    results_url: null,
    description: 'November wages',
    metadata: {},
    livemode: false,
    created_at: '2026-11-21T14:02:00.000Z',
    completed_at: null,
    ...fields,
  };
}

const balanceOf = (amount: number) => ({
  object: 'balance',
  available: [
    { currency: 'EUR', amount },
    { asset: 'XLM', amount: '18.2' },
  ],
  pending: [],
  reserved: [],
  suspense: [],
  receivable: [],
  livemode: false,
});

/** Totals of a batch in XLM, whose smallest unit is a ten-millionth. */
const lumens = [{ currency: 'XLM', amount: 182_000_000, fee: 1_000, count: 238 }];

const bulk = 'POST /v1/payouts/bulk';
const csv = 'amount,currency\n12500,EUR';

async function dropFile(text: BlobPart, available = 5_000_000, more: object = {}) {
  const service = serviceOf({
    [bulk]: ({ query }) => (query.has('dry_run') ? exampleBatch({ id: null, dry_run: true, ...more }) : exampleBatch()),
    'GET /v1/balance': balanceOf(available),
  });
  const mounted = await mountPage('pay-new-batch-page');
  const data = new DataTransfer();
  data.items.add(new File([text], 'november.csv'));
  find(mounted.page, '.drop').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true }));
  return { ...mounted, service };
}

describe('a new batch', () => {
  it('is checked by the service, with the field and the mend of each row, totals and fees', async () => {
    const { page, service } = await dropFile(csv);
    await waitUntil(() => textOf(page).includes('Pay 238 recipients'));
    const [call] = service.callsOf(bulk);
    expect([call?.body, call?.query.get('dry_run'), call?.query.get('on_error')]).to.deep.equal([
      ...[{ text: csv }, 'true', 'skip_invalid'],
    ]);
    await waitUntil(() => textOf(page).includes('Row 58'));
    const text = textOf(page);
    for (const part of [
      ...['november.csv · nothing has moved yet', '€18,204.10', 'of €50,000.00 available', '€22.41'],
      ...['destination.iban', 'has wrong check digits. Compare it with the recipient’s.', 'Left out'],
      ...['Row 171', 'no trustline', 'Would fail', '237', '2 left out, 1 would fail'],
    ]) {
      expect(text).to.contain(part);
    }
    expect(text).not.to.contain('payouts[');
    await expect(page).to.be.accessible();
  });

  it('says which rows would wait on hold', async () => {
    const message = 'Payouts on solana are not connected yet. The payout waits, and you can cancel it.';
    const holds = [{ index: 3, param: 'payouts[3].destination', code: 'no_route', message }];
    const { page } = await dropFile(csv, undefined, { holds });
    await waitUntil(() => textOf(page).includes(`Row 4 destination ${message} Would wait`));
    expect(textOf(page)).to.contain('2 left out, 1 would fail, 1 would wait on hold');
    find(page, 'button', 'Pay the 238 that can be paid …').click();
    await waitUntil(() => textOf(page).includes('1 payout Waits on hold, because no rail can send it yet'));
  });

  it('moves money only after a table has shown what will happen, and opens the batch', async () => {
    const { page, service, visits } = await dropFile(csv);
    await waitUntil(() => textOf(page).includes('Pay the 238 that can be paid'));
    const name = find<HTMLInputElement>(page, 'input[name=description]');
    name.value = 'Wages';
    name.dispatchEvent(new Event('input', { bubbles: true }));
    find<HTMLInputElement>(page, 'input[name=approval]').click();
    await settle(page);
    find(page, 'button', 'Pay the 238 that can be paid …').click();
    await waitUntil(() => /238 payouts €18,204\.10 .*2 rows Left out.*Approval A second person/.test(textOf(page)));
    expect(service.callsOf(bulk)).to.have.length(1);
    find(page, 'button', 'Pay the 238 that can be paid').click();
    await waitUntil(() => visits.length === 1);
    const [, call] = service.callsOf(bulk);
    expect(Object.fromEntries(call?.query ?? [])).to.deep.equal({
      on_error: 'skip_invalid',
      description: 'Wages',
      approval: 'true',
    });
    expect([call?.body, visits]).to.deep.equal([{ text: csv }, ['/payouts/batches/pbat_1']]);
  });

  it('makes one batch when a call without an answer is repeated', async () => {
    const { page, service, visits } = await dropFile(csv);
    await waitUntil(() => textOf(page).includes('Pay the 238 that can be paid'));
    const [check, sent] = [exampleBatch({ id: null, dry_run: true }), exampleBatch()];
    const answers = [new Refusal(500, 'api_error', 'It failed.'), sent];
    service.answers[bulk] = ({ query }) => (query.has('dry_run') ? check : (answers.shift() ?? sent));
    find(page, 'button', 'Pay the 238 that can be paid …').click();
    await waitUntil(() => textOf(page).includes('press again: the batch is made only once'));
    find(page, 'pay-dialog button', 'Pay the 238 that can be paid').click();
    await waitUntil(() => textOf(page).includes('It failed.'));
    find(page, 'pay-dialog button', 'Pay the 238 that can be paid').click();
    await waitUntil(() => visits.length === 1);
    const keys = service
      .callsOf(bulk)
      .slice(1)
      .map(({ headers }) => headers.get('idempotency-key'));
    expect([keys.length, new Set(keys).size, keys[0] !== null]).to.deep.equal([2, 1, true]);
  });

  it('stands in the way when the balance is short', async () => {
    const { page } = await dropFile(csv, 1_000_000);
    await waitUntil(() => /Your balance is short of €8,226\.51/.test(textOf(page)));
    find(page, 'button', 'Pay the 238 that can be paid …').click();
    await waitUntil(() => textOf(page).includes('Your available balance is too small'));
    expect(find<HTMLButtonElement>(page, 'pay-action-dialog .main, .main[slot=buttons]').disabled).to.equal(true);
  });

  it('compares the units of an asset with the balance', async () => {
    const { page } = await dropFile(csv, 0, { totals: lumens });
    await waitUntil(() => /Your balance is short of 0\.0001 XLM/.test(textOf(page)));
    expect(textOf(page)).to.contain('of 18.20 XLM available');
  });

  it('takes pasted rows, and shows what is wrong with the whole file', async () => {
    const service = serviceOf({
      [bulk]: new Refusal(400, 'parameter_missing', 'The first row has no column amount.', 'amount'),
      'GET /v1/balance': balanceOf(0),
    });
    const { page } = await mountPage('pay-new-batch-page');
    find(page, 'button', 'Check rows').click();
    await waitUntil(() => textOf(page).includes('The first row has no column amount.'));
    expect(service.callsOf(bulk)[0]?.body['text']).to.match(/^amount,currency,reference/);
  });

  it('refuses a file that is not UTF-8 before it is sent', async () => {
    const { page, service } = await dropFile(new Uint8Array([0x61, 0xe9, 0x0a]));
    await waitUntil(() => textOf(page).includes('“november.csv” is not UTF-8.'));
    expect(service.calls).to.deep.equal(service.callsOf('GET /v1/balance'));
  });

  it('says to a developer why there is no form', async () => {
    serviceOf({ 'GET /v1/balance': balanceOf(0) });
    const { page } = await mountPage('pay-new-batch-page', { role: 'developer' });
    expect(textOf(page)).to.contain('Your role, developer , may look but not move money.');
    expect([...deep(page.shadowRoot as ShadowRoot)].filter(element => element.matches('form, .drop'))).to.have.length(
      0,
    );
  });
});

async function openBatch(batch: object, query = '') {
  const service = serviceOf({
    'GET /v1/payout-batches/pbat_1': batch,
    'GET /v1/payout-batches/pbat_1/payouts': listOf(),
  });
  const mounted = await mountPage('pay-batch-page', { params: { id: 'pbat_1' }, query });
  await waitUntil(() => textOf(mounted.page).includes('November wages'));
  const root = mounted.page.shadowRoot as ShadowRoot;
  const buttons = () =>
    [...root.querySelectorAll('.actions > button')].map(button => button.textContent?.replace(/\s+/g, ' ').trim());
  return { ...mounted, service, buttons, progress: () => root.querySelector('progress') };
}

describe('the page of a batch', () => {
  it('follows the payouts of the batch by events', async () => {
    const { page, service, live, progress } = await openBatch(exampleBatch());
    expect([progress()?.max, progress()?.value]).to.deep.equal([238, 0]);
    live.start((page as never as { app: { client: never } }).app.client, 'batch');
    await waitUntil(() => service.callsOf('GET /v1/events/stream').length === 1);
    const now = { ...counts, pending: 38, completed: 199, failed: 1 };
    service.answers['GET /v1/payout-batches/pbat_1'] = exampleBatch({
      counts: now,
      statuses: { completed: 199, failed: 1, processing: 38 },
    });
    for (let turn = 0; turn < 50; turn++) service.tell('payout.completed', { id: `po_${turn}`, batch: 'pbat_1' });
    await waitUntil(() => progress()?.value === 200);
    expect(textOf(page)).to.match(/200 of 238, 1 failed .*Sending 38 Completed 199 Failed 1/);
    expect(service.callsOf('GET /v1/payout-batches/pbat_1').length).to.be.below(6);
    await expect(page).to.be.accessible();
    live.stop();
  });

  it('shows totals of an asset in its unit', async () => {
    const { page } = await openBatch(exampleBatch({ totals: lumens }));
    await waitUntil(() => /From your balance 18\.20 XLM Fees 0\.0001 XLM/.test(textOf(page)));
  });

  const mine = { approved_at: null, approved_by: null, created_by: 'person_1' };
  const states: readonly [name: string, fields: object, buttons: readonly string[]][] = [
    ['one that is sent', { statuses: { processing: 238 } }, ['Results']],
    [
      'one with failures',
      { statuses: { completed: 237, failed: 1 } },
      ['Results', 'Failed rows', 'Retry failed payouts'],
    ],
    ['a scheduled one', { status: 'scheduled', statuses: { scheduled: 238 } }, ['Results', 'Cancel', 'Hold']],
    [
      'one of another person to approve',
      ...([{ status: 'awaiting_approval', statuses: {}, approval: { ...mine, created_by: 'key_1' } }] as const),
      ['Results', 'Approve'],
    ],
    ['an own one to approve', { status: 'awaiting_approval', statuses: {}, approval: mine }, ['Results']],
  ];
  for (const [name, fields, expected] of states) {
    it(`offers ${expected.join(', ')} for ${name}`, async () => {
      const { page, buttons } = await openBatch(exampleBatch(fields));
      expect(buttons()).to.deep.equal(expected);
      const isOwn = textOf(page).includes('Another person approves it.');
      expect(isOwn).to.equal(name === 'an own one to approve');
    });
  }

  const cancelled: readonly [name: string, fields: object, table: string][] = [
    [
      'a recurring one',
      { schedule: { type: 'recurring' }, status: 'scheduled', statuses: {} },
      'Future runs None Batches already made Stay as they are',
    ],
    [
      'one with one payout that has ended',
      { status: 'scheduled', statuses: { scheduled: 237, completed: 1 } },
      '237 payouts Go back to your available balance 1 other payout No change',
    ],
  ];
  for (const [name, fields, table] of cancelled) {
    it(`says what it cancels of ${name}`, async () => {
      const { page, service, toasts } = await openBatch(exampleBatch(fields));
      find(page, 'button', 'Cancel').click();
      await waitUntil(() => textOf(page).includes(table));
      expect(textOf(page)).not.to.contain('0 payouts');
      service.answers['POST /v1/payout-batches/pbat_1/cancel'] = exampleBatch({ status: 'canceled' });
      find(page, 'button.danger', 'Cancel the batch').click();
      await waitUntil(() => toasts.length === 1);
    });
  }

  it('says which of those on hold stay there, because no rail can pay them', async () => {
    const { page, service, toasts } = await openBatch(exampleBatch({ statuses: { completed: 228, on_hold: 10 } }));
    find(page, 'button', 'Send those on hold').click();
    await waitUntil(() => /10 payouts Are sent .* without a connected rail or a rate Stay on hold/.test(textOf(page)));
    service.answers['POST /v1/payout-batches/pbat_1/resume'] = exampleBatch({ statuses: { queued: 7, on_hold: 3 } });
    find(page, 'button[form]', 'Send those on hold').click();
    await waitUntil(() => toasts.length === 1);
    expect(toasts[0]?.text).to.equal('7 payouts on the way, 3 still on hold');
  });

  it('approves after a table has shown what leaves the balance', async () => {
    const approval = { approved_at: null, approved_by: null, created_by: 'key_1' };
    const { page, service, toasts } = await openBatch(
      exampleBatch({ status: 'awaiting_approval', statuses: { scheduled: 238 }, approval }),
    );
    find(page, 'button', 'Approve').click();
    await waitUntil(() => /238 payouts €18,204\.10 Fees in EUR €22\.41 Sent At once/.test(textOf(page)));
    service.answers['POST /v1/payout-batches/pbat_1/approve'] = exampleBatch();
    find(page, 'button', 'Approve €18,204.10').click();
    await waitUntil(() => toasts.length === 1);
  });
});
