import { afterAll, beforeAll, expect, it } from 'vitest';
import { day, type ReminderLab, startReminderLab } from './reminder-lab.ts';

let lab: ReminderLab;
beforeAll(async () => {
  lab = await startReminderLab();
});
afterAll(() => lab.close());

it('an address given on sending becomes the customer’s missing address: later mails go to it', async () => {
  const invoice = await lab.sent({ customer: { name: 'Ada' }, due_date: lab.dayFromNow(10) });
  expect(await lab.reminders(invoice.id)).toEqual([]);
  const [email, third] = [lab.newAddress(), lab.newAddress()];
  const again = await lab.invoice(invoice.id, 'send', { email });
  expect(again.body.customer).toMatchObject({ name: 'Ada', email: null, id: expect.stringMatching(/^cus_/) });
  await lab.invoice(invoice.id, 'send');
  await lab.invoice(invoice.id, 'send', { email: third });
  const planned = await lab.reminders(invoice.id);
  expect(planned.map(({ offset_days, status }) => [offset_days, status])).toEqual([
    [-3, 'planned'],
    [0, 'planned'],
    [3, 'planned'],
  ]);
  lab.clock.advance(12 * day);
  await lab.sweep();
  await lab.payInvoice(invoice.id);
  await lab.sweep();
  expect(lab.kindsTo(email).sort()).toEqual(['Invoice', 'Invoice', 'Invoice', 'Receipt']);
  expect(lab.kindsTo(third)).toEqual(['Invoice']);
});

it.each([
  ['the first time', false],
  ['again', true],
])('an address given on sending is for that mail only when the customer has one (%s)', async (_, isSentBefore) => {
  const [email, accountant] = [lab.newAddress(), lab.newAddress()];
  const terms = { customer: { name: 'Ada', email }, due_date: lab.dayFromNow(10), allow_partial: true };
  const { id } = await (isSentBefore ? lab.sent(terms) : lab.draft(terms));
  expect((await lab.invoice(id, 'send', { email: accountant })).body.customer.email).toBe(email);
  await lab.payInvoice(id, 4_900);
  await lab.invoice(id, 'remind');
  lab.clock.advance(20 * day);
  await lab.sweep();
  expect(lab.kindsTo(accountant)).toEqual(['Invoice']);
  const ofSending = isSentBefore ? ['Invoice'] : [];
  expect(lab.kindsTo(email).sort()).toEqual([...ofSending, ...Array(2).fill('Invoice'), 'Receipt']);
});
