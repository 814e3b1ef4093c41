import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { carrierMachine, pauseAfter } from '../../../../src/server/outbound/carrier.ts';
import { outboundMachine } from '../../../../src/server/outbound/outbound.ts';
import type { IngestedLedger, TransactionStatus } from '../../../../src/server/stellar/network.ts';
import {
  builtAt,
  bumpFee,
  firstBid,
  judgeEnvelope,
  nextBid,
  type Validity,
  validityFrom,
  validLedgers,
} from '../../../../src/server/stellar/treasury/envelope.ts';

const start = new Date('2026-11-02T09:00:00Z');
const at = (sequence: number, seconds = sequence * 5): IngestedLedger => ({
  sequence,
  closedAt: new Date(start.getTime() + seconds * 1000),
});
const missing = (sequence: number, { oldest = 1, seconds = sequence * 5 } = {}): TransactionStatus => ({
  state: 'not_found',
  ingested: at(sequence, seconds),
  oldest,
});
const applied = (successful = true): TransactionStatus => ({
  state: 'applied',
  hash: 'h',
  ledger: 3,
  successful,
  codes: { transaction: successful ? 'tx_success' : 'tx_failed', operations: [] },
  feeCharged: 200n,
  resultXdr: '',
});
const validity = validityFrom(at(1_000));

describe('the state of a submitted transaction', () => {
  it.each<[string, readonly TransactionStatus[], string]>([
    ['is open before the first answer of the network', [], 'open'],
    ['is open before its time bound', [missing(1_000)], 'open'],
    ['is open in the last ledger before its bound', [missing(validity.maxLedger - 1)], 'open'],
    ['is open at its bound, because another server may be behind', [missing(validity.maxLedger)], 'open'],
    ['is expired well after its bound', [missing(validity.maxLedger + 2)], 'expired'],
    ['is open while one of two answers is from before its bound', [missing(1_100), missing(1_010)], 'open'],
    ['is expired when none of its hashes is found after the bound', [missing(1_100), missing(1_101)], 'expired'],
    ['is final when one of its hashes is in a ledger', [missing(1_100), applied()], 'ended'],
    ['is final when it failed in a ledger', [applied(false)], 'ended'],
    ['is open when history no longer includes its ledgers', [missing(1_100, { oldest: 1_001 })], 'open'],
    ['is expired long after its time, even with few ledgers', [missing(1_003, { seconds: 5_256 })], 'expired'],
    ['is open just after its time', [missing(1_003, { seconds: 5_245 })], 'open'],
  ])('%s', (_, answers, state) => {
    expect(judgeEnvelope(validity, answers).state).toBe(state);
  });

  const ledger = fc.record({ sequence: fc.integer({ min: 1, max: 200 }), seconds: fc.integer({ min: 0, max: 2_000 }) });
  const answer = fc.oneof(
    fc
      .record({ ledger, oldest: fc.integer({ min: 1, max: 120 }) })
      .map(({ ledger: { sequence, seconds }, oldest }) => missing(sequence, { oldest, seconds })),
    fc.constant(applied()),
  );

  it('is never “impossible” while a ledger that no answer has seen could contain it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 150 }), fc.array(answer, { maxLength: 4 }), (built, answers) => {
        const bounds: Validity = validityFrom(at(built));
        const verdict = judgeEnvelope(bounds, answers);
        const misses = answers.flatMap(each => (each.state === 'not_found' ? [each] : []));
        if (verdict.state === 'ended') expect(misses.length).toBeLessThan(answers.length);
        if (verdict.state !== 'expired') return;
        expect(misses.length).toBe(answers.length);
        expect(answers.length).toBeGreaterThan(0);
        for (const { ingested, oldest } of misses) {
          // The server's history covers every ledger that could include the transaction.
          const couldBeLater = ingested.sequence + 1 < bounds.maxLedger && ingested.closedAt <= bounds.maxTime;
          expect(couldBeLater).toBe(false);
          expect(oldest).toBeLessThanOrEqual(built);
        }
      }),
    );
  });

  it('becomes final once the network has moved on', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), fc.boolean(), (built, isThere) => {
        const late = missing(built + validLedgers + 2);
        expect(judgeEnvelope(validityFrom(at(built)), [isThere ? applied() : late]).state).not.toBe('open');
      }),
    );
  });

  it('includes the ledger at which it was built', () => {
    expect(builtAt(validity)).toBe(1_000);
  });
});

describe('the state machines', () => {
  it('have no steps after a final state', () => {
    expect(outboundMachine.states.filter(outboundMachine.isTerminal)).toEqual(['completed', 'failed']);
    expect(carrierMachine.states.filter(carrierMachine.isTerminal)).toEqual(['applied', 'failed', 'expired']);
  });

  it('have a path from every state to a final one', () => {
    for (const machine of [outboundMachine, carrierMachine] as const) {
      const reaches = (state: string, seen: readonly string[] = []): boolean =>
        machine.states.some(
          to =>
            machine.can(state as never, to as never) &&
            !seen.includes(to) &&
            (machine.isTerminal(to as never) || reaches(to, [...seen, to])),
        );
      const ends = machine.states.filter(state => machine.isTerminal(state as never) || reaches(state));
      expect(ends).toEqual(machine.states);
    }
  });
});

describe('pauses and bids', () => {
  it('grow, are at least as long as the network requests, and never take minutes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000 }),
        fc.option(fc.integer({ min: 0, max: 100_000 })),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempt, asked, random) => {
          const pause = pauseAfter(attempt, asked, random);
          expect(pause).toBeGreaterThanOrEqual(Math.min((asked ?? 0) * 1000, 60_000));
          expect(pause).toBeGreaterThanOrEqual(300);
          expect(pause).toBeLessThanOrEqual(60_000);
        },
      ),
    );
    expect(pauseAfter(4, null, 0.5)).toBeGreaterThan(pauseAfter(1, null, 0.5));
  });

  const stroops = fc.bigInt({ min: 0n, max: 10n ** 9n });
  it('stay below the cap, rise, and reach a final value', () => {
    fc.assert(
      fc.property(stroops, stroops, stroops, (base, usual, cap) => {
        const market = { base, usual };
        const most = cap > 100n ? cap : 100n;
        let bid = firstBid(market, cap);
        expect(bid).toBeGreaterThanOrEqual(100n);
        expect(bid).toBeLessThanOrEqual(most);
        for (let steps = 0; ; steps++) {
          const next = nextBid(bid, market, cap);
          if (next === null) break;
          expect(next > bid && next <= most).toBe(true);
          expect(steps).toBeLessThan(12);
          bid = next;
        }
        expect(bid).toBe(most);
      }),
    );
  });

  it('count a fee bump as one more operation', () => {
    expect(bumpFee(100n, 100)).toBe(10_100n);
  });
});
