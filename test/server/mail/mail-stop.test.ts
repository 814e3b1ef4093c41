import { afterAll, beforeAll, expect, it } from 'vitest';
import { holdProcesses, signalProcesses } from '../documents/drawing-processes.ts';
import { type ReminderLab, startReminderLab } from '../invoices/reminders/reminder-lab.ts';

let lab: ReminderLab;
beforeAll(async () => {
  lab = await startReminderLab();
});
afterAll(() => lab.close());

it('a stopping service does not wait for blocked drawing processes, and leaves its mail unchanged', async () => {
  const [held] = await holdProcesses();
  await lab.sentTo(lab.newAddress());
  const swept = lab.sweep('mail.send');
  const attempts = async () =>
    (await lab.database.db.selectFrom('mails').select('attempts').executeTakeFirstOrThrow()).attempts;
  await expect.poll(attempts, { timeout: 10_000 }).toBe(1);
  const began = performance.now();
  await lab.app.stop();
  expect(performance.now() - began).toBeLessThan(9_500);
  expect(await attempts()).toBe(0);
  signalProcesses('SIGCONT');
  await Promise.all([held, swept]);
});
