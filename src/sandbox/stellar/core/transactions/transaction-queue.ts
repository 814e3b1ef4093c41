import type { TransactionResultWire } from '@stellar/stellar-sdk/xdr';
import { availableNative } from '../state/balances.ts';
import type { LedgerState } from '../state/ledger-state.ts';
import { lineSlot, QueueLimit, singleSlot } from './queue-admission.ts';
import type { Frame } from './transaction-frame.ts';
import { refusalOf, txCode } from './transaction-result.ts';
import { checkSubmission, type Moment } from './validity.ts';

/** Where protocols differ; the default is the network of today. */
export interface LedgerRules {
  /** The queue holds one transaction for each source account (core 20 and later). */
  readonly oneTransactionPerSource: boolean;
  /** The lowest bid becomes the base fee only when something did not fit (core 20 and later). */
  readonly surgeOnlyWhenFull: boolean;
  /** The inner result of a fee bump says a fee of 0 (protocol 25 and later). */
  readonly feeBumpInnerFeeZero: boolean;
}

/** The network of today. */
export const currentRules: LedgerRules = {
  oneTransactionPerSource: true,
  surgeOnlyWhenFull: true,
  feeBumpInnerFeeZero: true,
};

/** The network at protocol 19. */
export const protocol19Rules: LedgerRules = {
  oneTransactionPerSource: false,
  surgeOnlyWhenFull: false,
  feeBumpInnerFeeZero: false,
};

/** What the queue says of a transaction, in stellar-core’s words. */
export type SubmitStatus = 'PENDING' | 'DUPLICATE' | 'ERROR' | 'TRY_AGAIN_LATER';

/** Ledgers that a transaction waits for, and that one which fell out is kept out. */
const pendingLedgers = 4;
const bannedLedgers = 10;
/** Ledgers’ worth of operations that may wait. */
const queuedLedgers = 2;

/** What an account has in the queue: transactions of its sequence, and bids it pays, for itself or for others. */
interface Waiting {
  frames: Frame[];
  bids: bigint;
  age: number;
}

/** The answer to a transaction. */
interface Queued {
  readonly status: SubmitStatus;
  readonly result: TransactionResultWire | null;
}

const refusal = (result: TransactionResultWire): Queued => ({ status: 'ERROR', result });

/** Transactions that wait for a ledger (stellar-core’s `TransactionQueue`). */
export class TransactionQueue {
  readonly #rules: LedgerRules;
  readonly #waiting = new Map<string, Waiting>();
  readonly #frames = new Map<string, Frame>();
  readonly #limit = new QueueLimit();
  #bans: Set<string>[] = Array.from({ length: bannedLedgers }, () => new Set());
  #fallen: string[] = [];

  constructor(rules: LedgerRules) {
    this.#rules = rules;
  }

  /** Takes a transaction in, or says why not. `moment` is that of the next ledger. */
  add(state: LedgerState, frame: Frame, moment: Moment): Queued {
    if (this.#bans.some(bans => bans.has(frame.fullHash))) return { status: 'TRY_AGAIN_LATER', result: null };
    const waiting = this.#waiting.get(frame.source)?.frames ?? [];
    const slot = (this.#rules.oneTransactionPerSource ? singleSlot : lineSlot)(waiting, frame);
    if (slot.status === 'ERROR') return refusal(slot.result);
    if (slot.status !== 'free') return { status: slot.status, result: null };
    const capacity = state.header.maxTxSetSize * queuedLedgers;
    const admission = this.#limit.admit(frame, slot.replaced, capacity);
    if (!admission.admitted) return this.#turnAway(frame, admission.enoughFee);
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

  /** The transaction with this hash, if it waits. */
  find(hash: string): Frame | undefined {
    return this.#frames.get(hash);
  }

  /** All that waits and could be part of a ledger, each source’s in order. */
  candidates(ledger: number): Frame[] {
    const start = BigInt(ledger) << 32n;
    return [...this.#waiting.values()].flatMap(({ frames }) => {
      const stop = frames.findIndex(({ sequence }) => sequence === start);
      return stop === -1 ? frames : frames.slice(0, stop);
    });
  }

  /** Throws transactions out, with those of the same source that follow them, and keeps them out for a while. */
  ban(frames: readonly Frame[]): void {
    for (const frame of frames) {
      this.#bans[0]?.add(frame.fullHash);
      const waiting = this.#waiting.get(frame.source);
      const index = waiting?.frames.indexOf(frame) ?? -1;
      if (!waiting || index === -1) continue;
      for (const follower of waiting.frames.splice(index)) {
        this.#bans[0]?.add(follower.fullHash);
        this.#drop(follower);
      }
      this.#forgetIfIdle(frame.source);
    }
  }

  /** Lets go of what was applied, and of what an applied sequence made useless. */
  removeApplied(frames: readonly Pick<Frame, 'source' | 'sequence' | 'hash'>[]): void {
    const applied = new Set(frames.map(({ hash }) => hash));
    for (const { source, sequence } of frames) {
      const waiting = this.#waiting.get(source);
      const [first] = waiting?.frames ?? [];
      if (!waiting || !first || first.sequence > sequence) continue;
      const gone = waiting.frames.filter(frame => frame.sequence <= sequence);
      waiting.frames = waiting.frames.slice(gone.length);
      waiting.age = 0;
      for (const frame of gone) this.#drop(frame, !applied.has(frame.hash));
      this.#forgetIfIdle(source);
    }
  }

  /** A ledger has closed: bans grow old, and so do those who were not part of it. */
  shift(): void {
    this.#bans = [new Set(), ...this.#bans.slice(0, -1)];
    for (const waiting of [...this.#waiting.values()]) {
      if (waiting.frames.length > 0) waiting.age++;
      if (waiting.age === pendingLedgers) this.ban(waiting.frames.slice(0, 1));
    }
    this.#limit.reset();
  }

  /** Hashes of those that fell out since this was last asked. */
  takeFallen(): string[] {
    const fallen = this.#fallen;
    this.#fallen = [];
    return fallen;
  }

  /** No room: the transaction is kept out for a while, and told the fee that would have done. */
  #turnAway(frame: Frame, enoughFee: bigint): Queued {
    this.ban([frame]);
    return enoughFee === 0n
      ? { status: 'TRY_AGAIN_LATER', result: null }
      : refusal(refusalOf(txCode.insufficientFee, enoughFee));
  }

  /** All bids of an account together must be affordable. */
  #isAffordable(state: LedgerState, frame: Frame, replaced: Frame | null): boolean {
    const account = state.accounts.get(frame.feeSource);
    if (!account) return false;
    const saved = replaced?.feeSource === frame.feeSource ? replaced.feeBid : 0n;
    const bids = this.#waiting.get(frame.feeSource)?.bids ?? 0n;
    return availableNative(state, account) - (frame.feeBid - saved) >= bids;
  }

  #put(frame: Frame, replaced: Frame | null): void {
    const waiting = this.#waitingOf(frame.source);
    if (replaced) {
      waiting.frames[waiting.frames.indexOf(replaced)] = frame;
      this.#drop(replaced);
    } else {
      waiting.frames.push(frame);
    }
    this.#waitingOf(frame.feeSource).bids += frame.feeBid;
    this.#frames.set(frame.hash, frame);
  }

  #waitingOf(account: string): Waiting {
    const waiting = this.#waiting.get(account) ?? { frames: [], bids: 0n, age: 0 };
    this.#waiting.set(account, waiting);
    return waiting;
  }

  /** Frees what a transaction took up, once it is out of its source’s line. */
  #drop(frame: Frame, hasFallen = true): void {
    this.#limit.remove(frame);
    this.#frames.delete(frame.hash);
    if (hasFallen) this.#fallen.push(frame.hash);
    this.#waitingOf(frame.feeSource).bids -= frame.feeBid;
    this.#forgetIfIdle(frame.feeSource);
  }

  #forgetIfIdle(account: string): void {
    const waiting = this.#waiting.get(account);
    if (!waiting || waiting.frames.length > 0) return;
    waiting.age = 0;
    if (waiting.bids === 0n) this.#waiting.delete(account);
  }
}
