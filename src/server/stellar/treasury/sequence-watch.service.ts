import { createHash } from 'node:crypto';
import type { TreasuryChannels } from '../../../api/treasury.ts';
import { hasEvents } from '../../platform/events/event.store.ts';
import { recordNextEvent } from '../../platform/events/outbox.ts';
import { StellarUnavailable } from '../network.ts';
import { type ChannelSequence, explainedSequences, listChannels, skipSequences } from './channel.store.ts';
import type { TreasuryDeps } from './treasury-deps.ts';
import type { TreasuryAlarmDeps } from './treasury-watch.service.ts';
import { lockTreasury } from './treasury-watch.store.ts';

export interface SequenceWatchDeps
  extends Pick<TreasuryDeps, 'db' | 'network' | 'signer'>,
    Pick<TreasuryAlarmDeps, 'log' | 'clock' | 'livemode' | 'operator'> {
  /** The setting by which the operator lets the treasury send again. Null: not set. */
  readonly resumeCode: string | null;
}

/** Watches for transactions on the network that this database does not know. */
export interface SequenceWatch {
  /**
   * Whether the database knows all transactions, so that new ones may be sent. Also false while the network does not
   * answer.
   */
  inStep(): Promise<boolean>;
  /** Makes the next `inStep` ask the network. */
  doubt(): void;
  /** Number of channels with unknown transactions. */
  readonly ahead: () => number;
  readonly remarks: () => readonly string[];
}

/** A channel whose last sequence number on the network is higher than the last known number. */
interface AheadChannel extends ChannelSequence {
  readonly explained: bigint;
}

/** Milliseconds until the next check: without findings, with findings, and after no answer. */
const calmMs = 300_000;
const alarmedMs = 10_000;
const awayMs = 2_000;

/**
 * Finds channel accounts that are ahead of the database. Transactions are stored before they are submitted, so such a
 * database is a restored backup or a copy. Its queue may contain transfers that were already sent. Nothing is sent
 * until the operator has compared database and network.
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
    'treasury: the network has transactions that this database does not know, so the database is an older copy. ' +
    `Nothing is sent now. Compare the network and the database, then start with PAY_TREASURY_RESUME=${code}`
  );
}

/**
 * Whether an account has used unknown sequence numbers. The number of a new account contains only its ledger, in the
 * upper 32 bits.
 */
export function isAhead(used: bigint, explained: bigint): boolean {
  return explained === 0n ? (used & 0xffff_ffffn) !== 0n : used > explained;
}

/** Reads the network first. The database, read later, then has every sequence number that this service had used. */
async function findAhead({ db, network, signer }: SequenceWatchDeps): Promise<readonly AheadChannel[]> {
  const channels = await listChannels(db, signer.treasury);
  const accounts = await Promise.all(channels.map(({ address }) => network.account(address)));
  const used = new Map(accounts.flatMap(account => (account === null ? [] : [[account.address, account.sequence]])));
  const kept = await explainedSequences(db, signer.treasury);
  return kept.flatMap(({ address, sequence: explained }: ChannelSequence) => {
    const sequence = used.get(address);
    return sequence !== undefined && isAhead(sequence, explained) ? [{ address, explained, sequence }] : [];
  });
}

/** The resume code. It is valid for these findings only. */
function codeOf(ahead: readonly AheadChannel[]): string {
  const text = ahead.map(({ address, sequence }) => `${address} ${sequence}`).join('\n');
  return createHash('sha256').update(text).digest('hex').slice(0, 10);
}

async function accept({ db, log }: SequenceWatchDeps, ahead: readonly AheadChannel[]): Promise<void> {
  await skipSequences(db, ahead);
  log.warn({ code: codeOf(ahead) }, 'the operator has set PAY_TREASURY_RESUME; the treasury sends again');
}

/** Alerts the operator once, even if several servers find the same channels. */
async function raise(deps: SequenceWatchDeps, ahead: readonly AheadChannel[]): Promise<void> {
  const { treasury } = deps.signer;
  const code = codeOf(ahead);
  const object: TreasuryChannels = {
    id: `${treasury}:${code}`,
    object: 'treasury_channels',
    account: treasury,
    resume_code: code,
    channels: ahead.map(({ address, explained, sequence }) => ({
      account: address,
      sequence: String(sequence),
      known_sequence: String(explained),
    })),
    livemode: deps.livemode,
  };
  deps.log.error(object, 'the network has transactions of the treasury that this database does not know');
  await deps.db.transaction().execute(async tx => {
    await lockTreasury(tx, treasury);
    const merchantId = await deps.operator();
    if (await hasEvents(tx, merchantId, object.id)) return;
    await recordNextEvent(tx, {
      merchantId,
      livemode: deps.livemode,
      type: 'treasury.out_of_step',
      resourceId: object.id,
      object,
      previous: null,
      now: deps.clock.now(),
    });
  });
}
