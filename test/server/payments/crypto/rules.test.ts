import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WalletOutcome } from '../../../../src/server/chains/chain.ts';
import {
  countedUnder,
  heldOffer,
  lastOffer,
  leftUnder,
  type OfferRow,
  receivedOf,
  valueUnder,
} from '../../../../src/server/payments/crypto/crypto-offer.ts';
import { judgeOutcome } from '../../../../src/server/payments/crypto/wallet-transaction.ts';

const start = new Date('2026-11-02T09:00:00Z');
const at = (minutes: number) => new Date(start.getTime() + minutes * 60_000);
const xlm = 'XLM';
const usdc = 'USDC:GBEQ73RT2TYEFIGLUBSZCBMIEAE5KX5VLM7B4XNVD4Y5CGIRPVZ6TCLP';

function offer(changes: Partial<OfferRow> = {}): OfferRow {
  return {
    merchant_id: 'acct',
    payment_id: 'pay',
    number: 1,
    chain: 'stellar',
    asset: xlm,
    quote_id: 'quote',
    amount: 1_000_000_000n,
    payment_amount: 12_000n,
    received: 0n,
    counted: 0n,
    expires_at: at(15),
    created_at: at(0),
    ...changes,
  };
}

describe('the price of a deposit', () => {
  const first = offer();
  const dearer = offer({ number: 2, amount: 1_100_000_000n, created_at: at(16), expires_at: at(31) });
  const cheaperEarly = offer({ number: 3, amount: 900_000_000n, created_at: at(5), expires_at: at(20) });
  it.each([
    ['is the one valid when it reached the chain', [first, dearer], 14, first],
    ['remains an expired one while there is no other', [first], 500, first],
    ['is the newest when none was valid', [first, dearer], 500, dearer],
    ['is the older one before the newer was given', [first, dearer], 15.5, first],
    ['is the best of several valid ones, because the payer was promised it', [first, cheaperEarly], 10, cheaperEarly],
    ['is the best, even if it is older', [cheaperEarly, { ...first, number: 4 }], 10, cheaperEarly],
    ['is the first when the chain’s clock is behind ours', [first, dearer], -1, first],
  ])('%s', (_, offers, minutes, expected) => {
    expect(heldOffer(offers, xlm, at(minutes), 0) ?? lastOffer(offers, xlm, at(minutes))).toBe(expected);
  });

  it.each([
    [0, 14.99, true],
    [0, 15, false],
    [600, 24.99, true],
    [600, 25, false],
  ])('holds for a grace of %i seconds after its end: at minute %d %s', (grace, minutes, isHeld) => {
    expect(heldOffer([first], xlm, at(minutes), grace)).toBe(isHeld ? first : null);
    expect(lastOffer([first], xlm, at(minutes))).toBe(first);
  });

  it('does not exist for an asset without a quote, also with the same code', () => {
    expect([heldOffer([first], usdc, at(1), 600), lastOffer([first], usdc, at(1))]).toEqual([null, null]);
    const fake = usdc.replace('GBEQ', 'GBER');
    expect(lastOffer([offer({ asset: usdc })], fake, at(1))).toBeNull();
  });
});

const amounts = fc.bigInt({ min: 1n, max: 10n ** 15n });
const offers = fc.record({ amount: amounts, payment_amount: amounts }).map(changes => offer(changes));

describe('partial deposits at one price', () => {
  it('count as the full amount when they add up to it, however it was divided', () => {
    fc.assert(
      fc.property(
        offers,
        fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 12 }),
        (asked, weights) => {
          const total = BigInt(weights.reduce((sum, weight) => sum + weight, 0));
          let left = asked.amount;
          let row = asked;
          let value = 0n;
          for (const [index, weight] of weights.entries()) {
            const part = index === weights.length - 1 ? left : (asked.amount * BigInt(weight)) / total;
            value += valueUnder(row, part);
            row = countedUnder(row, part);
            left -= part;
          }
          expect([row.received, row.counted, value]).toEqual([
            asked.amount,
            asked.payment_amount,
            asked.payment_amount,
          ]);
        },
      ),
    );
  });

  it('never count as more than their share, and the reported remainder completes exactly', () => {
    fc.assert(
      fc.property(offers, fc.bigInt({ min: 0n, max: 10n ** 15n }), (asked, part) => {
        const row = countedUnder(asked, part);
        expect(row.counted * asked.amount).toBeLessThanOrEqual(part * asked.payment_amount);
        const due = asked.payment_amount - row.counted;
        fc.pre(due > 0n);
        const left = leftUnder(row, due);
        expect(row.counted + valueUnder(row, left)).toBeGreaterThanOrEqual(asked.payment_amount);
        if (left > 0n) expect(valueUnder(row, left - 1n)).toBeLessThan(due);
      }),
    );
  });

  it('are reported as the received amount of the asset, over all its prices', () => {
    const rows = [
      offer({ received: 5n }),
      offer({ number: 2, received: 7n }),
      offer({ number: 3, asset: usdc, received: 9n }),
    ];
    expect([receivedOf(rows, xlm), receivedOf(rows, usdc)]).toEqual([12n, 9n]);
  });
});

describe('a submitted transaction', () => {
  const failure = { code: 'stellar_underfunded', message: 'Not enough.' } as const;
  const row = { valid_until: at(15), refused_at: null, failure_code: null, failure_message: null, attempts: 1 };
  const refusedRow = {
    ...row,
    attempts: 3,
    refused_at: at(5),
    failure_code: failure.code,
    failure_message: failure.message,
  };
  const open = (minutes: number | null): WalletOutcome => ({
    state: 'open',
    seenUntil: minutes === null ? null : at(minutes),
  });
  it.each([
    ['applied', row, { state: 'applied' }, { do: 'end', state: 'applied' }],
    ['failed', row, { state: 'failed', ...failure }, { do: 'end', state: 'failed', failure }],
    ['refused at once', row, { state: 'refused', ...failure }, { do: 'end', state: 'failed', failure }],
    [
      'refused when it was sent again',
      { ...row, attempts: 2 },
      { state: 'refused', ...failure },
      { do: 'record_refusal' },
    ],
    ['in the queue', row, open(null), { do: 'resubmit' }],
    ['in no block before its time bound', row, open(15), { do: 'resubmit' }],
    ['in no block just after it, according to one server', row, open(15.4), { do: 'resubmit' }],
    ['in no block after its time bound', row, open(15.6), { do: 'end', failure: { code: 'stellar_timeout' } }],
    ['in no block after a refusal', refusedRow, open(5.6), { do: 'end', failure }],
    ['refused, with too few later blocks', refusedRow, open(5.4), { do: 'resubmit' }],
  ] as const)('has the right next step when it is %s', (_, given, outcome, verdict) => {
    expect(judgeOutcome(given, outcome as WalletOutcome)).toMatchObject(verdict);
  });
});
