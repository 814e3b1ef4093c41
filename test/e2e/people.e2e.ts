import { rmSync } from 'node:fs';
import { generateSync } from 'otplib';
import type { Page } from 'playwright/test';
import { makeDataFolder } from '../support/data-folder.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { desktop, expect, on, phone, picture, test } from './service.ts';

const email = 'olga@nordlys.example';
const password = 'correct horse battery';

/** A server of its own, because a password ends the entrance without one for everybody. */
let server: ServerProcess;
const dataDir = makeDataFolder('pay-people-');
test.beforeAll(async () => {
  server = await startServerProcess({ PAY_DATA_DIR: dataDir, PAY_LOG_REQUESTS: 'errors' });
});
test.afterAll(async () => {
  await server?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const type = (page: Page, label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text);

async function signIn(page: Page): Promise<void> {
  await type(page, 'E-mail', email);
  await type(page, 'Password', password);
  await press(page, 'Sign in');
}

test.describe.configure({ mode: 'serial' });

test.describe('the owner', () => {
  test.use(on(desktop));

  test('enters by the start address, sets a password, turns codes on and adds a passkey', async ({ page }) => {
    test.slow();
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    const options = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
    } as const;
    await cdp.send('WebAuthn.addVirtualAuthenticator', { options: { ...options, isUserVerified: true } });

    const [start = ''] = /\S+\/dashboard\/#start=\w+/.exec(server.output()) ?? [];
    await page.goto(start);
    await expect(page.getByRole('button', { name: /owner|You/ }).first()).toBeVisible();
    expect(page.url()).not.toContain('start=');
    await page.goto(`${server.url}/dashboard/account`);
    await expect(page.getByText('everyone with the start address can enter')).toBeVisible();
    await press(page, 'Set a password');
    await type(page, 'E-mail', email);
    await type(page, 'New password', password);
    await press(page, 'Save the password');
    await expect(page.getByText('everyone with the start address can enter')).toHaveCount(0);

    await press(page, 'Set up an app');
    const secret = (await page.locator('form#setup p.mono').innerText()).trim().split(/\s/)[0] ?? '';
    await picture(page, 'people-setup');
    await type(page, 'Code', generateSync({ secret }));
    await press(page, 'Turn codes on');
    await expect(page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')).toHaveCount(10);
    const recovery = await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').first().innerText();
    await press(page, 'I have kept them');

    await press(page, 'Add a passkey');
    await type(page, 'Name', 'Phone');
    await press(page, 'Add');
    await expect(page.getByRole('button', { name: 'Remove Phone' })).toBeVisible();
    await picture(page, 'people-account');

    await page.context().clearCookies();
    await page.reload();
    await signIn(page);
    await expect(page.getByRole('heading', { name: 'Enter your code' })).toBeVisible();
    await type(page, 'Code', recovery);
    await press(page, 'Sign in');
    await expect(page.getByRole('heading', { name: 'My account' })).toBeVisible();

    await page.context().clearCookies();
    await page.reload();
    await press(page, 'Sign in with a passkey');
    await expect(page.getByRole('heading', { name: 'My account' })).toBeVisible();
  });
});

test.describe('a visitor on a phone', () => {
  test.use(on(phone));

  test('is refused with a wrong code, and asks for a new password', async ({ page, browser }) => {
    test.slow();
    const owner = await browser.newPage();
    await owner.goto(`${server.url}/`);
    await owner.getByRole('link', { name: 'Open the dashboard' }).click();
    await signIn(owner);
    await type(owner, 'Code', 'wrong');
    await press(owner, 'Sign in');
    await expect(owner.getByText('This code is wrong or was used before.')).toBeVisible();
    await picture(owner, 'people-code');
    await owner.context().close();
    await page.goto(`${server.url}/dashboard/team`);
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
    await picture(page, 'people-sign-in');
    await page.getByRole('link', { name: 'Forgotten your password?' }).click();
    // Both pages have a field for the e-mail address.
    await expect(page.getByRole('heading', { name: 'Forgotten your password?' })).toBeVisible();
    await type(page, 'E-mail', email);
    await press(page, 'Send the mail');
    await expect(page.getByText('a mail is on its way')).toBeVisible();
  });
});
