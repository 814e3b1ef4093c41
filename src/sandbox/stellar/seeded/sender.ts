import type { MemoWire, OperationWire } from '@stellar/stellar-sdk/xdr';
import type { Ledger } from '../core/ledger.ts';
import { resultCodes } from '../horizon/records/result-codes.ts';
import type { AppliedRow, Confirmations } from '../node/confirmations.ts';
import type { LedgerNode } from '../node/ledger-node.ts';
import type { SandboxKey } from './accounts.ts';
import { signedEnvelope } from './transaction-builder.ts';

/** A transaction of the sandbox’s own, carried by one of its channels. Every operation names its source. */
interface OwnTransaction {
  readonly operations: readonly OperationWire[];
  readonly memo?: MemoWire;
  /** Keys of the operations’ sources. */
  readonly signers: readonly SandboxKey[];
}

/** The sandbox’s own transaction did not go through. `codes` are Horizon’s, or empty when nobody knows. */
export class OwnTransactionFailed extends Error {
  override readonly name = 'OwnTransactionFailed';
  readonly codes: readonly string[];
  constructor(codes: readonly string[]) {
    super(`the sandbox’s transaction failed: ${codes.join(', ') || 'it is in no ledger'}`);
    this.codes = codes;
  }
}

/** Sends the sandbox’s own transactions. */
export interface Sender {
  /** Resolves once the transaction has succeeded in a ledger. Throws `OwnTransactionFailed`. */
  send(transaction: OwnTransaction): Promise<AppliedRow>;
}

/** What sending stands on. */
interface SenderDeps {
  readonly node: LedgerNode;
  readonly confirmations: Confirmations;
  readonly channels: readonly SandboxKey[];
}

const patienceMs = 30_000;
/** Another process may use the same channel, or a full queue may turn us away. */
const attempts = 8;

/** Makes the sender: a transaction at a time for each channel, as a ledger takes one of each source. */
export function createSender({ node, confirmations, channels }: SenderDeps): Sender {
  const free = [...channels];
  const waiting: ((channel: SandboxKey) => void)[] = [];

  async function withChannel<T>(work: (channel: SandboxKey) => Promise<T>): Promise<T> {
    const channel = free.pop() ?? (await new Promise<SandboxKey>(resolve => waiting.push(resolve)));
    try {
      return await work(channel);
    } finally {
      const next = waiting.shift();
      if (next === undefined) free.push(channel);
      else next(channel);
    }
  }

  /** Null: the channel was not ready, another attempt may do. */
  async function attempt(channel: SandboxKey, transaction: OwnTransaction): Promise<AppliedRow | null> {
    const envelope = envelopeOf(channel, await node.current(), transaction);
    const { status, hash, resultXdr } = await node.submit(envelope);
    if (status === 'PENDING') return requireSuccess(await confirmations.wait(hash, patienceMs));
    const codes = resultXdr === null ? [] : codesOf(resultXdr);
    if (status === 'TRY_AGAIN_LATER' || codes[0] === 'tx_bad_seq') return null;
    throw new OwnTransactionFailed(codes);
  }

  return {
    send: async transaction => {
      for (let tried = 0; tried < attempts; tried++) {
        const row = await withChannel(channel => attempt(channel, transaction));
        if (row !== null) return row;
        await nextLedger(node);
      }
      throw new OwnTransactionFailed([]);
    },
  };
}

function envelopeOf(channel: SandboxKey, ledger: Ledger, { operations, memo, signers }: OwnTransaction): string {
  const account = ledger.account(channel.address);
  if (account === null) throw new Error(`the sandbox network lacks its channel ${channel.address}`);
  const cosigners = [...new Map(signers.map(key => [key.address, key])).values()];
  return signedEnvelope({
    ...{ source: channel, sequence: account.sequence, operations, cosigners },
    ...(memo !== undefined && { memo }),
  });
}

function requireSuccess(row: AppliedRow | null): AppliedRow {
  if (row?.successful === true) return row;
  throw new OwnTransactionFailed(row === null ? [] : codesOf(row.result));
}

function codesOf(resultXdr: string): readonly string[] {
  const { transaction, operations = [] } = resultCodes(resultXdr) as {
    readonly transaction: string;
    readonly operations?: readonly string[];
  };
  return [transaction, ...operations];
}

/** Resolves after the next ledger, or after a moment when none comes. */
function nextLedger(node: LedgerNode): Promise<void> {
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(timer);
      stop();
      resolve();
    };
    const stop = node.onLedger(end);
    const timer = setTimeout(end, 250);
  });
}
