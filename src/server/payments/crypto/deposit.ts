import { defineMachine } from '../../../core/machine.ts';
import type { Block, Chain, Head, Scan, Seen } from '../../chains/chain.ts';

export type DepositState = 'seen' | 'final' | 'dropped';

/**
 * States of a deposit. A seen deposit may move to another block. A dropped transaction may be sent again, so it is not
 * lost. A final deposit is credited, and stays.
 */
export const depositMachine = defineMachine<DepositState>({
  seen: ['seen', 'final', 'dropped'],
  dropped: ['seen', 'final'],
  final: [],
});

/** Money that a chain showed, with its state. */
export interface Deposit extends Seen {
  /** The first time by which its price is judged. */
  readonly at: Date;
  readonly state: DepositState;
}

/** A deposit as the last scan left it. `wasOpen`: an earlier scan saw it, and it was not final then. */
export interface ScannedDeposit extends Deposit {
  readonly confirmations: number;
  readonly required: number;
  readonly wasOpen: boolean;
}

/**
 * The deposits after a scan, oldest first: the open ones and the new ones. A deposit keeps the time of its first
 * sighting. `now` is the time of a sighting for which the chain has none.
 */
export function depositsAfter(
  chain: Chain,
  scan: Scan,
  open: readonly Deposit[],
  now: Date,
): readonly ScannedDeposit[] {
  const known = new Map(open.map(deposit => [deposit.ref, deposit]));
  const reported = new Set(scan.seen.map(({ ref }) => ref));
  const dropped = new Set(scan.dropped);
  const waiting = open.filter(({ ref }) => !reported.has(ref));
  const seen = scan.seen.map(deposit => ({ ...deposit, at: known.get(deposit.ref)?.at ?? deposit.at ?? now }));
  return [...waiting, ...seen].map(deposit => {
    const { asset, amount, block, ref } = deposit;
    const { blocks: required, byTag } = chain.receive.finality(asset, amount);
    const confirmations = confirmationsOf(block, scan.head);
    const isFinal = byTag ? isBelow(block, scan.head.finalized) : confirmations >= required;
    const isGone = dropped.has(ref) && !reported.has(ref);
    const state = isGone ? 'dropped' : isFinal ? 'final' : 'seen';
    return { ...deposit, state, confirmations, required, wasOpen: known.has(ref) };
  });
}

/** The block of the transaction is its first confirmation. */
function confirmationsOf(block: Block | null, head: Head): number {
  return block === null ? 0 : Math.max(0, head.height - block.height + 1);
}

function isBelow(block: Block | null, height: number | null): boolean {
  return block !== null && height !== null && block.height <= height;
}

/** Whether the scan changed nothing: the same cursor, no new deposits, and each open deposit waits on. */
export function isUnchanged(scan: Scan, cursor: string, deposits: readonly ScannedDeposit[]): boolean {
  return scan.cursor === cursor && scan.seen.length === 0 && deposits.every(({ state }) => state === 'seen');
}
