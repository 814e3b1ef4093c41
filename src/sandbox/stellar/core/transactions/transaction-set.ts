import { divideUp } from '../../../../core/money.ts';
import { availableNative } from '../state/balances.ts';
import type { LedgerState } from '../state/ledger-state.ts';
import type { Frame } from './transaction.ts';
import { checkSubmission, type Moment } from './validity.ts';

/** The maximum number of operations in a transaction (stellar-core’s `MAX_OPS_PER_TX`). */
const largestTransaction = 100;

function bySource(frames: readonly Frame[]): Map<string, Frame[]> {
  const sources = Map.groupBy(frames, ({ source }) => source);
  for (const line of sources.values()) line.sort((a, b) => (a.sequence < b.sequence ? -1 : 1));
  return sources;
}

/** Separates valid from invalid transactions (`TxSetFrame::trimInvalid`). */
export function trimInvalid(
  state: LedgerState,
  frames: readonly Frame[],
  moment: Moment,
): { valid: Frame[]; invalid: Frame[] } {
  const valid: Frame[] = [];
  const invalid: Frame[] = [];
  for (const line of bySource(frames).values()) {
    let sequence: bigint | undefined;
    for (const frame of line) {
      const { minSeqAge, minSeqLedgerGap } = frame.conditions;
      const waitsInLine = frame !== line[0] && (minSeqAge !== 0n || minSeqLedgerGap !== 0);
      const isValid = !waitsInLine && checkSubmission(state, frame, moment, sequence).isValid;
      (isValid ? valid : invalid).push(frame);
      if (isValid) sequence = frame.sequence;
    }
  }
  const poor = unaffordable(state, valid);
  return { valid: valid.filter(frame => !poor.has(frame)), invalid: [...invalid, ...poor] };
}

/** Transactions whose fee payer cannot pay the sum of its bids, and later transactions of the same source account. */
function unaffordable(state: LedgerState, frames: readonly Frame[]): Set<Frame> {
  const bids = new Map<string, bigint>();
  for (const { feeSource, feeBid } of frames) bids.set(feeSource, (bids.get(feeSource) ?? 0n) + feeBid);
  const isPoor = ({ feeSource }: Frame) => {
    const payer = state.accounts.get(feeSource);
    return !payer || availableNative(state, payer) < (bids.get(feeSource) ?? 0n);
  };
  const lines = [...bySource(frames).values()];
  return new Set(lines.flatMap(line => (line.some(isPoor) ? line.slice(line.findIndex(isPoor)) : [])));
}

/** The transactions of the next ledger. */
export interface Picked {
  readonly frames: Frame[];
  /** Whether some transactions did not fit. */
  readonly isFull: boolean;
}

const operationsOf = (frames: readonly Frame[]): number =>
  frames.reduce((sum, { operationCount }) => sum + operationCount, 0);

/** Picks the transactions with the best bids per operation (surge pricing). Keeps the order of each source account. */
export function pickBestPaid(frames: readonly Frame[], capacity: number): Picked {
  if (operationsOf(frames) <= capacity) return { frames: [...frames], isFull: false };
  const lines = [...bySource(frames).values()];
  const picked: Frame[] = [];
  let left = capacity;
  while (left > 0) {
    const line = bestLine(lines);
    const frame = line?.[0];
    if (!line || !frame) break;
    if (frame.operationCount > left) {
      line.length = 0;
      continue;
    }
    picked.push(frame);
    left -= frame.operationCount;
    line.shift();
  }
  return { frames: picked, isFull: true };
}

function bestLine(lines: readonly Frame[][]): Frame[] | undefined {
  let best: Frame[] | undefined;
  for (const line of lines) {
    const [frame] = line;
    const [leader] = best ?? [];
    if (frame && (!leader || compareBids(frame, leader) > 0)) best = line;
  }
  return best;
}

/**
 * The apply order: the first transaction of each source, then the second of each source, and so on. Within such a
 * round, the order of the hashes.
 */
export function orderForApply(frames: readonly Frame[]): Frame[] {
  const lines = [...bySource(frames).values()];
  const rounds = Math.max(0, ...lines.map(line => line.length));
  return Array.from({ length: rounds }, (_, round) => {
    const batch = lines.flatMap(line => line[round] ?? []);
    return batch.sort((a, b) => (a.fullHash < b.fullHash ? -1 : 1));
  }).flat();
}

/** The lowest bid per operation, rounded up to a stroop. */
function lowestBid(frames: readonly Frame[]): bigint {
  const bids = frames.map(({ feeBid, operationCount }) => divideUp(feeBid, BigInt(operationCount)));
  return bids.reduce((least, bid) => (bid < least ? bid : least));
}

/** The fee per operation. Under surge pricing it is the lowest bid, otherwise the base fee. */
export function baseFeeOf(state: LedgerState, { frames, isFull }: Picked, onlyWhenFull: boolean): bigint {
  const { baseFee, maxTxSetSize } = state.header;
  const isCrowded = onlyWhenFull ? isFull : operationsOf(frames) > Math.max(0, maxTxSetSize - largestTransaction);
  return isCrowded && frames.length > 0 ? lowestBid(frames) : BigInt(baseFee);
}

/** Compares two bids per operation without rounding. */
export function compareBids(a: Frame, b: Frame): number {
  const left = a.feeBid * BigInt(Math.max(1, b.operationCount));
  const right = b.feeBid * BigInt(Math.max(1, a.operationCount));
  return left < right ? -1 : left > right ? 1 : 0;
}
