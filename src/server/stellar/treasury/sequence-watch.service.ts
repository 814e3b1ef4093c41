import { createHash } from 'node:crypto';
import type { TreasuryChannels } from '../../../api/treasury.ts';
import type { Tx } from '../../platform/db/database.ts';
import { hasEvents } from '../../platform/events/event.store.ts';
import { recordNextEvent } from '../../platform/events/outbox.ts';
import { StellarUnavailable } from '../network.ts';
import { type ChannelSequence, explainedSequences, listChannels, skipSequences } from './channel.store.ts';
import type { TreasuryDeps } from './treasury-deps.ts';
import type { TreasuryAlarmDeps } from './treasury-watch.service.ts';
import { lockTreasury } from './treasury-watch.store.ts';

/** What watching the channels needs. */
export interface SequenceWatchDeps
  extends Pick<TreasuryDeps, 'db' | 'network' | 'signer'>,
    Pick<TreasuryAlarmDeps, 'log' | 'clock' | 'livemode' | 'operator'> {
  /** What the operator has set so that money leaves again; null: nothing. */
  readonly resumeCode: string | null;
}

/** Whether the network knows of transactions that nobody here remembers. */
export interface SequenceWatch {
  /** Whether everything that left is known here, so that more may leave. Looks at times; false also while nobody can tell. */
  inStep(): Promise<boolean>;
  /** Has the next question looked into. */
  doubt(): void;
  /** How many channels are ahead of what is known. */
  readonly ahead: () => number;
  /** What the operator should see to. */
  readonly remarks: () => readonly string[];
}

/** A channel with more transactions on the network than were kept, and both numbers. */
interface AheadChannel {
  readonly address: string;
  readonly explained: bigint;
  readonly used: bigint;
}

/** How long an answer counts, in milliseconds: when nothing was amiss, and else. */
const calmMs = 300_000;
const alarmedMs = 10_000;
const awayMs = 2_000;

/**
 * Transactions are kept before they are handed in, so a channel account never gets ahead of them, unless the database
 * is an older one than that which sent them: a restored backup, or a copy that runs beside the original. Its queue may
 * hold what has left already, so nothing is built from it until the operator has compared the two and says so.
 */
export function createSequenceWatch(deps: SequenceWatchDeps): SequenceWatch {
  let ahead: readonly AheadChannel[] = [];
  let lookAgainAt = Number.NEGATIVE_INFINITY;
  let isKnown = false;

  async function look(): Promise<void> {
    const found = await findAhead(deps);
    const code = codeOf(found);
    const isAccepted = found.length > 0 && code === deps.resumeCode;
    if (isAccepted) await accept(deps, found);
    else if (found.length > 0 && code !== codeOf(ahead)) await raise(deps, found);
    ahead = isAccepted ? [] : found;
    isKnown = true;
    lookAgainAt = performance.now() + (ahead.length === 0 ? calmMs : alarmedMs);
  }

  return {
    inStep: async () => {
      if (performance.now() >= lookAgainAt) {
        try {
          await look();
        } catch (error) {
          if (!(error instanceof StellarUnavailable)) throw error;
          isKnown = false;
          lookAgainAt = performance.now() + awayMs;
        }
      }
      return isKnown && ahead.length === 0;
    },
    doubt: () => {
      lookAgainAt = Number.NEGATIVE_INFINITY;
    },
    ahead: () => ahead.length,
    remarks: () => (ahead.length === 0 ? [] : [remarkOn(codeOf(ahead))]),
  };
}

function remarkOn(code: string): string {
  return (
    'treasury: the network has transactions that this database does not know, so it is older than what was sent last. ' +
    `Nothing is sent until you have compared the two; then start with PAY_TREASURY_RESUME=${code}`
  );
}

/** Whether an account has used numbers that nothing explains. One that was never used stands at the number of the ledger that made it, in the upper half. */
export function isAhead(used: bigint, explained: bigint): boolean {
  return explained === 0n ? (used & 0xffff_ffffn) !== 0n : used > explained;
}

/** The network is asked first: whatever it has used up until then was kept before. */
async function findAhead({ db, network, signer }: SequenceWatchDeps): Promise<readonly AheadChannel[]> {
  const channels = await listChannels(db, signer.treasury);
  const accounts = await Promise.all(channels.map(({ address }) => network.account(address)));
  const used = new Map(accounts.flatMap(account => (account === null ? [] : [[account.address, account.sequence]])));
  const kept = await explainedSequences(db, signer.treasury);
  return kept.flatMap(({ address, sequence: explained }: ChannelSequence) => {
    const sequence = used.get(address);
    return sequence !== undefined && isAhead(sequence, explained) ? [{ address, explained, used: sequence }] : [];
  });
}

/** Names this very situation, so that what was said to it does not count for another one. */
function codeOf(ahead: readonly AheadChannel[]): string {
  const text = ahead.map(({ address, used }) => `${address} ${used}`).join('\n');
  return createHash('sha256').update(text).digest('hex').slice(0, 10);
}

async function accept({ db, log }: SequenceWatchDeps, ahead: readonly AheadChannel[]): Promise<void> {
  await skipSequences(
    db,
    ahead.map(({ address, used }) => ({ address, sequence: used })),
  );
  log.warn({ code: codeOf(ahead) }, 'the operator has compared what was sent; the treasury sends again');
}

/** Tells the operator once, however many servers find it. */
async function raise(deps: SequenceWatchDeps, ahead: readonly AheadChannel[]): Promise<void> {
  const { treasury } = deps.signer;
  const code = codeOf(ahead);
  const object: TreasuryChannels = {
    ...{ id: `${treasury}:${code}`, object: 'treasury_channels', account: treasury, resume_code: code },
    channels: ahead.map(({ address, explained, used }) => ({
      ...{ account: address, sequence: String(used), known_sequence: String(explained) },
    })),
    livemode: deps.livemode,
  };
  deps.log.error(object, 'the network has transactions of the treasury that this database does not know');
  await deps.db.transaction().execute(tx => tellOnce(deps, tx, object));
}

async function tellOnce(deps: SequenceWatchDeps, tx: Tx, object: TreasuryChannels): Promise<void> {
  await lockTreasury(tx, object.account);
  const merchantId = await deps.operator();
  if (await hasEvents(tx, merchantId, object.id)) return;
  await recordNextEvent(tx, {
    ...{ merchantId, livemode: deps.livemode, type: 'treasury.out_of_step', resourceId: object.id, object },
    previous: null,
    now: deps.clock.now(),
  });
}
