import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LinkChoice } from '../../../src/api/link.ts';
import { countedBy, dueOf, hasRoom, isFull, type LinkRow } from '../../../src/server/links/link.ts';
import { assertChosen, exchangedChoice } from '../../../src/server/links/link-pay.service.ts';

const moment = new Date('2026-11-02T09:00:00Z');

function linkOf(fields: Partial<LinkRow>): LinkRow {
  return {
    merchant_id: 'acct_1',
    id: 'plink_1',
    livemode: false,
    status: 'active',
    amount: 1_000n,
    currency: 'EUR',
    custom_amount: null,
    description: null,
    reference: null,
    line_items: null,
    payment_methods: ['card'],
    settlement_asset: 'USDC',
    settlement_address: null,
    redirect_url: null,
    success_message: null,
    locale: null,
    metadata: {},
    allow_partial: false,
    max_uses: 1,
    uses: 0,
    opens: 0,
    unpaid_reservation_seconds: 0,
    collected: 0n,
    received: {},
    starts_at: null,
    expires_at: null,
    completed_at: null,
    closing_at: null,
    event_sequence: 1,
    created_by_key: '',
    created_at: moment,
    ...fields,
  };
}

const counted = (link: LinkRow, amount: bigint) =>
  countedBy(link, { amount, currency: 'EUR', isFirst: true }, { basisPoints: 0, units: 0n });

/** Payers in any order: each starts to pay an amount, and then completes it or gives up. */
const deeds = fc.array(fc.record({ amount: fc.bigInt({ min: 1n, max: 1_500n }), arrives: fc.boolean() }), {
  maxLength: 60,
});

describe('the uses of a link', () => {
  it('are never exceeded, however many payers start before the first payment', () => {
    fc.assert(
      fc.property(deeds, fc.integer({ min: 1, max: 5 }), fc.boolean(), (payers, maxUses, inParts) => {
        let link = linkOf({ max_uses: maxUses, allow_partial: inParts });
        const held: { amount: bigint; arrives: boolean }[] = [];
        for (const payer of payers) {
          const amount = inParts ? payer.amount : 1_000n;
          const places = { count: held.length, amount: held.reduce((sum, one) => sum + one.amount, 0n) };
          if (hasRoom(link, places, amount)) held.push({ ...payer, amount });
          // About every third time, the first waiting payer completes or gives up.
          const ended = payer.amount % 3n === 0n ? held.shift() : undefined;
          if (ended?.arrives) link = { ...link, ...counted(link, ended.amount) };
        }
        for (const one of held) link = { ...link, ...counted(link, one.amount) };
        expect(link.uses).toBeLessThanOrEqual(maxUses);
        expect(link.collected).toBeLessThanOrEqual(1_000n * BigInt(maxUses));
        expect(link.received['EUR'] ?? '0').toBe(String(link.collected));
        if (isFull(link, link.uses)) expect(hasRoom(link, { count: 0, amount: 0n }, 1n)).toBe(false);
        else expect(hasRoom(link, { count: 0, amount: 0n }, inParts ? (dueOf(link) ?? 0n) : 1_000n)).toBe(true);
      }),
    );
  });
});

const choices = fc
  .tuple(fc.integer({ min: 1, max: 1_000_000 }), fc.integer({ min: 0, max: 1_000_000 }), fc.nat(100))
  .map(([min, span, share]): LinkChoice => {
    const preset = min + Math.floor((span * share) / 100);
    return { currency: 'EUR', min, max: min + span, preset, presets: [preset, min, min + span] };
  });
const rates = fc.record({
  numerator: fc.bigInt({ min: 1n, max: 100_000n }),
  denominator: fc.bigInt({ min: 1n, max: 100_000n }),
});

describe('a choice in another currency', () => {
  it('offers only amounts that are accepted, and its limits stay in order', () => {
    fc.assert(
      fc.property(choices, rates, (choice, rate) => {
        const other = exchangedChoice(choice, 'USD', rate);
        expect(other.min).toBeLessThanOrEqual(other.max ?? 0);
        for (const amount of [other.preset, other.min, other.max, ...other.presets]) {
          expect(assertChosen(amount ?? undefined, other)).toBe(BigInt(amount ?? 0));
        }
      }),
    );
  });
});
