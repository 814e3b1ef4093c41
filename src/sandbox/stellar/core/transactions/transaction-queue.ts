import type { TransactionResultWire } from '@stellar/stellar-sdk/xdr';
import { availableNative } from '../state/balances.ts';
import type { LedgerState } from '../state/ledger-state.ts';
import { multipleSlot, QueueLimit, singleSlot } from './queue-admission.ts';
import { type Frame, refusalOf, txCode } from './transaction.ts';
import { checkSubmission, type Moment } from './validity.ts';

/** Differences between protocol versions. */
export interface LedgerRules {
  /** Whether the queue holds one transaction per source account (stellar-core 20 and later). */
  readonly oneTransactionPerSource: boolean;
  /** Whether surge pricing applies only if a transaction did not fit (stellar-core 20 and later). */
  readonly surgeOnlyWhenFull: boolean;
  /** Whether the inner result of a fee bump has a fee of 0 (protocol 25 and later). */
  readonly feeBumpInnerFeeZero: boolean;
}

export const currentRules: LedgerRules = {
  oneTransactionPerSource: true,
  surgeOnlyWhenFull: true,
  feeBumpInnerFeeZero: true,
};

export const protocol19Rules: LedgerRules = {
  oneTransactionPerSource: false,
  surgeOnlyWhenFull: false,
  feeBumpInnerFeeZero: false,
};

/** stellar-core’s answer to a submission. */
export type SubmitStatus = 'PENDING' | 'DUPLICATE' | 'ERROR' | 'TRY_AGAIN_LATER';

/**
 * The queue drops a transaction after `pendingLedgers` ledgers. It then refuses the transaction for `bannedLedgers`
 * ledgers.
 */
const pendingLedgers = 4;
const bannedLedgers = 10;

/** The queue has room for the operations of this many ledgers. */
const queuedLedgers = 2;

/**
 * An account in the queue. `frames`: the transactions that it sends. `bids`: the sum of the bids that it pays. `age`:
 * the number of ledgers that its first transaction has waited.
 */
interface Pending {
  frames: Frame[];
  bids: bigint;
  age: number;
}

interface Queued {
  readonly status: SubmitStatus;
  readonly result: TransactionResultWire | null;
}

const refusal = (result: TransactionResultWire): Queued => ({ status: 'ERROR', result });

/** Transactions that wait for a ledger (stellar-core’s `TransactionQueue`). */
export class TransactionQueue {
  readonly #rules: LedgerRules;
  readonly #pending = new Map<string, Pending>();
  readonly #frames = new Map<string, Frame>();
  readonly #limit = new QueueLimit();
  #bans: Set<string>[] = Array.from({ length: bannedLedgers }, () => new Set());
  #dropped: string[] = [];

  constructor(rules: LedgerRules) {
    this.#rules = rules;
  }

  /** Adds a transaction or refuses it. `moment` describes the next ledger. */
  add(state: LedgerState, frame: Frame, moment: Moment): Queued {
    if (this.#bans.some(bans => bans.has(frame.fullHash))) return { status: 'TRY_AGAIN_LATER', result: null };
    const pending = this.#pending.get(frame.source)?.frames ?? [];
    const slot = (this.#rules.oneTransactionPerSource ? singleSlot : multipleSlot)(pending, frame);
    if (slot.status === 'ERROR') return refusal(slot.result);
    if (slot.status !== 'free') return { status: slot.status, result: null };
    const capacity = state.header.maxTxSetSize * queuedLedgers;
    const admission = this.#limit.admit(frame, slot.replaced, capacity);
    if (!admission.admitted) return this.#refuseFull(frame, admission.enoughFee);
    const { isValid, result } = checkSubmission(state, frame, moment, slot.follows);
    if (!isValid) return refusal(result);
    if (!this.#isAffordable(state, frame, slot.replaced)) {
      return refusal(refusalOf(txCode.insufficientBalance, result.feeCharged));
    }
    this.#put(frame, slot.replaced);
    this.#limit.evict(frame.operationCount, capacity, evicted => this.ban([evicted]));
    this.#limit.add(frame);
    return { status: 'PENDING', result: null };
  }

  find(hash: string): Frame | undefined {
    return this.#frames.get(hash);
  }

  /** Pending transactions that ledger number `ledger` may contain, ordered by sequence for each source account. */
  candidates(ledger: number): Frame[] {
    const start = BigInt(ledger) << 32n;
    return [...this.#pending.values()].flatMap(({ frames }) => {
      const stop = frames.findIndex(({ sequence }) => sequence === start);
      return stop === -1 ? frames : frames.slice(0, stop);
    });
  }

  /** Removes and bans the transactions, and later transactions of their source accounts. */
  ban(frames: readonly Frame[]): void {
    for (const frame of frames) {
      this.#bans[0]?.add(frame.fullHash);
      const pending = this.#pending.get(frame.source);
      const index = pending?.frames.indexOf(frame) ?? -1;
      if (!pending || index === -1) continue;
      for (const follower of pending.frames.splice(index)) {
        this.#bans[0]?.add(follower.fullHash);
        this.#remove(follower);
      }
      this.#forgetIfIdle(frame.source);
    }
  }

  /** Removes applied transactions, and transactions whose sequence is used up. */
  removeApplied(frames: readonly Pick<Frame, 'source' | 'sequence' | 'hash'>[]): void {
    const applied = new Set(frames.map(({ hash }) => hash));
    for (const { source, sequence } of frames) {
      const pending = this.#pending.get(source);
      const [first] = pending?.frames ?? [];
      if (!pending || !first || first.sequence > sequence) continue;
      const gone = pending.frames.filter(frame => frame.sequence <= sequence);
      pending.frames = pending.frames.slice(gone.length);
      pending.age = 0;
      for (const frame of gone) this.#remove(frame, !applied.has(frame.hash));
      this.#forgetIfIdle(source);
    }
  }

  /** Ages bans and pending transactions. Called after each ledger. */
  shift(): void {
    this.#bans = [new Set(), ...this.#bans.slice(0, -1)];
    for (const pending of [...this.#pending.values()]) {
      if (pending.frames.length > 0) pending.age++;
      if (pending.age === pendingLedgers) this.ban(pending.frames.slice(0, 1));
    }
    this.#limit.reset();
  }

  /** Hashes of the transactions dropped since the last call. */
  takeDropped(): string[] {
    const dropped = this.#dropped;
    this.#dropped = [];
    return dropped;
  }

  /** Bans a transaction for which the queue has no room. */
  #refuseFull(frame: Frame, enoughFee: bigint): Queued {
    this.ban([frame]);
    return enoughFee === 0n
      ? { status: 'TRY_AGAIN_LATER', result: null }
      : refusal(refusalOf(txCode.insufficientFee, enoughFee));
  }

  /** Whether the fee source can pay all of its bids, including the new bid. */
  #isAffordable(state: LedgerState, frame: Frame, replaced: Frame | null): boolean {
    const account = state.accounts.get(frame.feeSource);
    if (!account) return false;
    const saved = replaced?.feeSource === frame.feeSource ? replaced.feeBid : 0n;
    const bids = this.#pending.get(frame.feeSource)?.bids ?? 0n;
    return availableNative(state, account) - (frame.feeBid - saved) >= bids;
  }

  #put(frame: Frame, replaced: Frame | null): void {
    const pending = this.#pendingOf(frame.source);
    if (replaced) {
      pending.frames[pending.frames.indexOf(replaced)] = frame;
      this.#remove(replaced);
    } else {
      pending.frames.push(frame);
    }
    this.#pendingOf(frame.feeSource).bids += frame.feeBid;
    this.#frames.set(frame.hash, frame);
  }

  #pendingOf(account: string): Pending {
    const pending = this.#pending.get(account) ?? { frames: [], bids: 0n, age: 0 };
    this.#pending.set(account, pending);
    return pending;
  }

  /** Releases a transaction’s operations, hash and bid. The caller removes it from the transactions of its source. */
  #remove(frame: Frame, isDropped = true): void {
    this.#limit.remove(frame);
    this.#frames.delete(frame.hash);
    if (isDropped) this.#dropped.push(frame.hash);
    this.#pendingOf(frame.feeSource).bids -= frame.feeBid;
    this.#forgetIfIdle(frame.feeSource);
  }

  #forgetIfIdle(account: string): void {
    const pending = this.#pending.get(account);
    if (!pending || pending.frames.length > 0) return;
    pending.age = 0;
    if (pending.bids === 0n) this.#pending.delete(account);
  }
}
