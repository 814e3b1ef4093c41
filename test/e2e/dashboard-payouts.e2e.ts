import type { Locator, Page } from 'playwright/test';
import { defectsOf } from '../support/axe.ts';
import { desktop, expect, on, phone, picture, signIn, test } from './service.ts';

const iban = 'DE89370400440532013000';

const funds = { currency: 'EUR', amount: 100_000 };

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  for (let presses = 0; presses < 80; presses++) {
    if (await target.evaluate(element => element.matches(':focus'))) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${target}`);
}

async function openByPalette(page: Page, command: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox', { name: /^Search/ })).toBeFocused();
  await page.keyboard.type(command);
  await expect(page.getByRole('option', { name: command, selected: true })).toBeVisible();
  await page.keyboard.press('Enter');
}

test.describe('one payout', () => {
  test.use(on(desktop));

  test('goes to a new recipient by keyboard alone, and its page shows it until it is paid', async ({
    page,
    service,
  }) => {
    const { keyboard } = page;
    await service.client.testHelpers.fund(funds);
    await signIn(page, service);
    await openByPalette(page, 'New recipient');
    await tabTo(page, page.getByLabel('Name', { exact: true }));
    await keyboard.type('Ada Lovelace');
    await tabTo(page, page.getByLabel('IBAN'));
    await keyboard.type(iban);
    await keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1, name: 'Ada Lovelace' })).toBeVisible();

    await openByPalette(page, 'Send money');
    await tabTo(page, page.getByRole('combobox', { name: 'Recipient' }));
    await keyboard.type('love');
    await expect(page.getByRole('option', { name: 'Ada Lovelace' })).toBeVisible();
    expect(await defectsOf(page, { targets: true })).toEqual([]);
    await picture(page, 'send-money-picker');
    await keyboard.press('Enter');
    await expect(page.getByLabel('Destination')).toContainText('Bank account DE8937040044…3000');
    await tabTo(page, page.getByLabel('Amount'));
    await keyboard.type('42.50');
    await keyboard.press('Enter');
    const send = page.getByRole('button', { name: 'Send €42.50' });
    await tabTo(page, send);
    expect(await defectsOf(page)).toEqual([]);
    await keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1, name: /€42\.50/ })).toContainText('Completed');
    expect(new URL(page.url()).pathname).toMatch(/^\/dashboard\/payouts\/po_/);
    expect(await defectsOf(page)).toEqual([]);
  });
});

test.describe('a batch', () => {
  test.use(on(phone));

  test('of a CSV file waits for another person than the owner, and its page shows it until it is canceled', async ({
    page,
    service,
  }) => {
    await service.client.testHelpers.fund(funds);
    await signIn(page, service);
    await page.goto(`${service.url}/dashboard/payouts/batches/new`);
    const row = (holder: string) => `1250,EUR,bank_account,${iban},${holder}`;
    const text = ['amount,currency,type,iban,account_holder', ...['Ada', 'Grace', 'Alan'].map(row)].join('\n');
    const file = { name: 'november.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
    await page.getByLabel('CSV file', { exact: true }).setInputFiles(file);
    await page.getByLabel('A second person approves it').check();
    expect(await defectsOf(page, { targets: true })).toEqual([]);
    await page.getByRole('button', { name: 'Pay 3 recipients …' }).click();
    await page.getByRole('button', { name: 'Pay 3 recipients', exact: true }).click();
    await expect(page.getByText('Another person approves it.')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Approve' })).toHaveCount(0);
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    // The first key of the account counts as its owner, who made the batch.
    await expect(service.client.payoutBatches.approve(id)).rejects.toMatchObject({ code: 'approval_required' });
    await service.client.payoutBatches.cancel(id);
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Canceled');
    await expect(page.getByText('Another person approves it.')).toHaveCount(0);
    expect(await defectsOf(page)).toEqual([]);
  });
});
