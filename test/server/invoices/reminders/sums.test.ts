import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPdf } from '../../../support/read-pdf.ts';
import { day, type ReminderLab, startReminderLab } from './reminder-lab.ts';

let lab: ReminderLab;
beforeAll(async () => {
  lab = await startReminderLab();
});
afterAll(() => lab.close());

/** The newest mail to the address with this word in its subject: its texts and the text of its PDF. */
async function mailTo(address: string, word: string) {
  const mail = lab.post.to(address).findLast(({ email }) => email.subject?.includes(word));
  if (mail === undefined) throw new Error(`no mail about ${word} came to ${address}`);
  const { text = '', html = '', attachments } = mail.email;
  const { pages } = await readPdf(new Uint8Array(attachments[0]?.content as ArrayBuffer));
  return { text, html, paper: pages.join('\n') };
}

describe('a payment between the writing of a mail and its sending', () => {
  it('is in the reminder and in its PDF', async () => {
    const email = lab.newAddress();
    const { id } = await lab.sentTo(email, { allow_partial: true, reminders: { offsets_days: [0] } });
    lab.clock.advance(11 * day);
    await lab.sweep('invoices.remind');
    await lab.payInvoice(id, 3_000);
    await lab.sweep();
    const { text, html, paper } = await mailTo(email, 'overdue');
    expect(paper).toContain('€89.00');
    expect(text).toContain('Pay €89.00');
    expect(text).toContain('You have paid €30.00 of €119.00. Remaining balance: €89.00.');
    expect(html).toContain('Pay €89.00');
    for (const said of [text, html]) expect(said).not.toContain('Pay €119.00');
  });

  it('is in the mail that sends the invoice, while the PDF stays as issued', async () => {
    const email = lab.newAddress();
    const { id } = await lab.sent({ customer: { name: 'Ada', email }, allow_partial: true });
    await lab.payInvoice(id, 3_000);
    await lab.sweep();
    const { text, paper } = await mailTo(email, 'Invoice');
    expect(paper).not.toContain('€89.00');
    expect(text).toContain('You have paid €30.00 of €119.00. Remaining balance: €89.00.');
  });

  it('is in the receipt of an earlier payment', async () => {
    const email = lab.newAddress();
    const { id } = await lab.sentTo(email, { allow_partial: true });
    await lab.payInvoice(id, 3_000);
    await lab.payInvoice(id, 8_900);
    await lab.sweep();
    const receipts = lab.post
      .to(email)
      .flatMap(({ email: { subject, text } }) => (subject?.includes('Receipt') ? text : []));
    expect(receipts.map(text => text?.match(/€[\d.]+/)?.[0]).sort()).toEqual(['€30.00', '€89.00']);
    for (const text of receipts) expect(text).toContain('The invoice is paid in full.');
  });

  it('cancels the reminder of a paid instalment only', async () => {
    const email = lab.newAddress();
    const [first, second] = [lab.dayFromNow(10), lab.dayFromNow(40)];
    const installments = [first, second].map(due_date => ({ due_date, percent: 50 }));
    const { id } = await lab.sentTo(email, { due_date: second, installments, reminders: { offsets_days: [0] } });
    lab.clock.advance(11 * day);
    await lab.sweep('invoices.remind');
    await lab.payInvoice(id, 5_950);
    await lab.sweep();
    expect(lab.kindsTo(email).sort()).toEqual(['Invoice', 'Receipt']);
    lab.clock.advance(30 * day);
    await lab.sweep();
    expect(lab.kindsTo(email)).toHaveLength(3);
    expect((await mailTo(email, 'overdue')).text).toContain('Pay €59.50');
  });
});

it('credit that the customer spends on sending is in the mail that sends the invoice', async () => {
  const customer = { name: 'Ada', email: lab.newAddress() };
  const before = await lab.sent({ customer });
  await lab.invoice(before.id, 'record-payment', { amount: 14_900 });
  const { number } = await lab.sent({ customer });
  await lab.sweep();
  expect((await mailTo(customer.email, `Invoice ${number}`)).text).toContain(
    'You have paid €30.00 of €119.00. Remaining balance: €89.00.',
  );
});

describe.each(['en', 'ar', 'ja'])('a credited amount is shown, so that the amounts add up (%s)', locale => {
  it.each([
    ['after a partial payment', 3_000, ['30.00', '20.00', '119.00', '69.00']],
    ['without a payment', 0, ['20.00', '119.00', '99.00']],
  ])('%s', async (_, paid, sums) => {
    const email = lab.newAddress();
    const { id } = await lab.sentTo(email, { locale, allow_partial: true });
    await lab.invoice(id, 'credit-notes', { amount: 2_000 });
    if (paid > 0) await lab.payInvoice(id, paid);
    await lab.sweep();
    await lab.invoice(id, 'remind');
    await lab.sweep();
    const text = lab.textsTo(email).at(-1) ?? '';
    const sentence = text.split('\n').find(line => line.includes('119.00'));
    expect(sentence?.match(/\d+\.\d\d/g)?.sort()).toEqual([...sums].sort());
    if (locale !== 'en') return;
    const start = paid > 0 ? 'You have paid €30.00 of €119.00, and €20.00' : '€20.00 of €119.00';
    expect(sentence).toMatch(`${start} was credited to you. Remaining balance: €${sums.at(-1)}.`);
  });
});

it('a reminder waits for a payment that is being booked, so that amounts and events are consistent', async () => {
  const { id } = await lab.sentTo(lab.newAddress(), { allow_partial: true, reminders: { offsets_days: [0] } });
  lab.clock.advance(11 * day);
  const { pool } = lab.database;
  const booking = await pool.connect();
  await booking.query('begin');
  await booking.query('select from invoices where id = $1 for update', [id]);
  const reminded = lab.sweep('invoices.remind');
  const waiting = () =>
    pool.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
  await expect.poll(async () => (await waiting()).rowCount).toBe(1);
  await booking.query('update invoices set amount_paid = 3000, event_sequence = event_sequence + 1 where id = $1', [
    id,
  ]);
  await booking.query('commit');
  booking.release();
  await reminded;
  expect((await lab.reminders(id)).map(({ amount }) => amount)).toEqual([8_900]);
  const { rows } = await pool.query(
    `select sequence, (select event_sequence from invoices where id = $1) as last from events
     where resource_id = $1 and type = 'invoice.reminder_sent'`,
    [id],
  );
  // The events: created, sent, the booking, the reminder.
  expect(rows).toEqual([{ sequence: 4, last: 4 }]);
});
