import jsqr from 'jsqr';
import sharp from 'sharp';
import { expect, fillCard, picture, test } from './service.ts';

test.use({
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  userAgent:
    'Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36',
});

test('a payer opens a link from its QR code on a phone and pays; a second payment is refused', async ({
  page,
  service,
  context,
}) => {
  test.slow();
  const link = await service.client.paymentLinks.create({
    amount: 12_840,
    currency: 'EUR',
    single_use: true,
    description: 'Lamp “Skagen”',
    success_message: 'We will call you when it is ready.',
  });

  // Decodes the displayed QR code, as the phone's camera does.
  await page.setContent(`<img width="320" alt="" src="${link.qr_code_url.replace(/svg$/, 'png')}">`, {
    waitUntil: 'load',
  });
  const seen = sharp(await page.screenshot())
    .ensureAlpha()
    .raw();
  const { data, info } = await seen.toBuffer({ resolveWithObject: true });
  const address = jsqr.default(new Uint8ClampedArray(data), info.width, info.height)?.data ?? '';
  expect(address).toBe(link.url);

  await page.goto(address);
  await expect(page.getByRole('heading', { name: 'Pay Nordlys Supply' })).toBeVisible();
  await picture(page, 'link-open');
  await page.getByLabel('E-mail').fill('grace@example.com');
  await page.getByLabel('Name', { exact: true }).fill('Grace Hopper');
  await page.getByRole('button', { name: 'Continue' }).tap();
  await fillCard(page, '4242 4242 4242 4242');
  await page.getByRole('button', { name: 'Pay €128.40' }).tap();
  await expect(page.getByRole('heading', { name: 'Paid, thank you' })).toBeVisible();
  await expect(page.getByText('We will call you when it is ready.')).toBeVisible();
  await picture(page, 'link-paid');

  const second = await context.newPage();
  const answer = await second.goto(address);
  expect(answer?.status()).toBe(410);
  await expect(second.getByRole('heading', { name: 'This link has been used' })).toBeVisible();
  await expect(second.getByRole('link', { name: 'help@nordlys.example' })).toBeVisible();
  await picture(second, 'link-refused');

  const customer = { email: 'late@example.com' };
  await expect(service.client.paymentLinks.pay(link.id, { customer })).rejects.toMatchObject({ code: 'link_used' });
  expect(await service.client.paymentLinks.retrieve(link.id)).toMatchObject({
    status: 'completed',
    uses: 1,
    total_received: 12_840,
    opens: 1,
  });
  const poster = await page.request.get(link.poster_url);
  expect(poster.headers()['content-type']).toBe('application/pdf');
});
