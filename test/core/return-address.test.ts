import { describe, expect, it } from 'vitest';
import { returnAddress } from '../../src/core/return-address.ts';

const payment = { id: 'pay_3kTMd0PpC1hJ6nLq2uXs9B', status: 'completed' };
const added = 'payment_id=pay_3kTMd0PpC1hJ6nLq2uXs9B&status=completed';

describe('the return URL of a payer', () => {
  it.each([
    ['https://shop.example', `https://shop.example/?${added}`],
    ['https://shop.example/thanks?', `https://shop.example/thanks?${added}`],
    [
      'https://shop.example/thanks?cart=a%20b+c&x=%2F#top',
      `https://shop.example/thanks?cart=a%20b+c&x=%2F&${added}#top`,
    ],
    ['http://localhost:3000/#done', `http://localhost:3000/?${added}#done`],
  ])('of %s keeps the merchant’s parameters and adds the payment', (redirectUrl, expected) => {
    expect(returnAddress(redirectUrl, payment)?.href).toBe(expected);
  });

  it.each([
    null,
    'javascript:alert(1)',
    'data:text/html,x',
    '//evil.example',
    'https:evil',
    'https://shop@evil.example',
    'java\tscript:x',
  ])('is null for %j', redirectUrl => expect(returnAddress(redirectUrl, payment)).toBeNull());
});
