import { describe, expect, it } from 'vitest';
import { framePath, issueFrameTicket, openFrameTicket } from '../../src/server/payments/card/card-option.ts';
import { createSecrets } from '../../src/server/platform/secrets.ts';

const secrets = createSecrets(Buffer.alloc(32, 7));
const payment = { merchantId: 'acct_0000000000000000000001', paymentId: 'pay_0000000000000000000002' };
const now = new Date('2026-11-21T10:00:00Z');
const ticket = issueFrameTicket(secrets, { ...payment, now });
const hours = (count: number) => new Date(now.getTime() + count * 3_600_000);

describe('a card frame ticket', () => {
  it('opens the frame of its payment for exactly 24 hours', () => {
    expect(openFrameTicket(secrets, ticket, hours(23.9))).toEqual(payment);
    expect(openFrameTicket(secrets, ticket, hours(24))).toBeNull();
  });

  it('cannot be changed to last longer or for another payment, or be made from another token', () => {
    const token = ticket.slice(0, 66);
    const later = Math.floor(hours(48).getTime() / 1000).toString(36);
    const forged = [
      token + later,
      `${ticket.slice(0, 43)}3${ticket.slice(44)}`,
      secrets.paymentToken('checkout', payment.merchantId, payment.paymentId) + ticket.slice(66),
      issueFrameTicket(createSecrets(Buffer.alloc(32, 8)), { ...payment, now }),
      token,
      '',
      `${ticket}\n`,
      'x'.repeat(100_000),
    ];
    for (const text of forged) expect(openFrameTicket(secrets, text, now), text.slice(0, 80)).toBeNull();
  });

  it('differs from the payment’s hosted page token and needs no escaping in a URL', () => {
    expect(secrets.openPaymentToken('checkout', ticket.slice(0, 66))).toBeNull();
    const url = new URL(framePath(ticket), 'https://pay.example');
    expect(url.searchParams.get('ticket')).toBe(ticket);
  });
});
