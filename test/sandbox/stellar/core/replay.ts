import { isDeepStrictEqual } from 'node:util';
import { LedgerKey, TransactionResult } from '@stellar/stellar-sdk/xdr';
import { createLedger, type Ledger } from '../../../../src/sandbox/stellar/core/ledger.ts';
import type { AppliedTransaction } from '../../../../src/sandbox/stellar/core/ledger-close.ts';
import {
  type ChangedEntry,
  type LedgerHeader,
  newAccount,
} from '../../../../src/sandbox/stellar/core/state/entries.ts';
import { encodeEntry } from '../../../../src/sandbox/stellar/core/state/entry-xdr.ts';
import { accountOf } from '../../../../src/sandbox/stellar/core/state/identifiers.ts';
import { protocol19Rules } from '../../../../src/sandbox/stellar/core/transactions/transaction-queue.ts';
import type { FinalState, RecordedClose, RecordedHeader, RecordedTransaction, Recording } from './recording.ts';
import { accountView, balanceView, headerView, offerView, poolView, trustlineView } from './state-view.ts';

/** A difference between ledger and recording. `step` is the position in the file, or `final state`. */
export interface Difference {
  readonly step: number | 'final state';
  readonly what: string;
}

const headerOf = (header: RecordedHeader): LedgerHeader => ({
  sequence: header.ledger,
  closeTime: BigInt(header.close_time),
  baseFee: header.base_fee,
  baseReserve: header.base_reserve,
  maxTxSetSize: header.max_tx_set_size,
  feePool: BigInt(header.fee_pool),
  totalCoins: BigInt(header.total_coins),
  idPool: BigInt(header.id_pool),
});

const resultText = (resultXdr: string): string =>
  JSON.stringify(TransactionResult.fromXdr(resultXdr, 'base64').toJson()).slice(0, 600);

/** Replays a recording in a new ledger with the rules of protocol 19. Returns all differences. */
export function replay(recording: Recording): Difference[] {
  return new Replay(recording).run();
}

class Replay {
  readonly #recording: Recording;
  readonly #ledger: Ledger;
  readonly #differences: Difference[] = [];
  /** All entries in their stored form. */
  readonly #kept = new Map<string, string>();
  readonly #applied = new Map<string, AppliedTransaction>();
  #step = 0;

  constructor(recording: Recording) {
    this.#recording = recording;
    const { network_passphrase: networkPassphrase, initial_ledger: initial } = recording;
    const root = newAccount(recording.accounts_used.root.public, BigInt(initial.total_coins), 0, null);
    const entries = [encodeEntry({ kind: 'account', entry: root })];
    this.#keep(entries);
    this.#ledger = createLedger({ networkPassphrase, header: headerOf(initial), rules: protocol19Rules, entries });
  }

  run(): Difference[] {
    const { steps, final_state: state } = this.#recording;
    for (const [index, step] of steps.entries()) {
      this.#step = index;
      if (step.kind === 'tx') this.#submit(step);
      else this.#close(step);
    }
    for (const [index, step] of steps.entries()) {
      if (step.kind === 'tx' && step.expected_submit_status === 'PENDING') this.#compareApplied(index, step);
    }
    this.#compareState(state);
    return this.#differences.toSorted((a, b) => Number(a.step) - Number(b.step));
  }

  #differ(what: string, step: Difference['step'] = this.#step): void {
    this.#differences.push({ step, what });
  }

  #keep(changes: Iterable<ChangedEntry>): void {
    for (const { keyXdr, entryXdr } of changes) {
      if (entryXdr === null) this.#kept.delete(keyXdr);
      else this.#kept.set(keyXdr, entryXdr);
    }
  }

  #submit(step: RecordedTransaction): void {
    const { status, hash, resultXdr } = this.#ledger.submit(step.envelope_xdr);
    if (hash !== step.hash) this.#differ(`hash ${hash}, expected ${step.hash}`);
    if (status !== step.expected_submit_status) {
      this.#differ(
        `status ${status}, expected ${step.expected_submit_status} ${resultXdr ? resultText(resultXdr) : ''}`,
      );
    } else if (status === 'ERROR' && resultXdr !== step.result_xdr) {
      this.#differ(`refusal ${resultText(resultXdr ?? '')}, expected ${resultText(step.result_xdr ?? '')}`);
    }
  }

  #close(step: RecordedClose): void {
    const missing = step.apply_order.filter(hash => !this.#ledger.queued(hash));
    if (missing.length > 0) this.#differ(`not in the queue: ${missing.join(', ')}`);
    const order = step.apply_order.filter(hash => !missing.includes(hash));
    const { header, transactions, changes } = this.#ledger.close(BigInt(step.close_time), order);
    this.#keep(changes);
    for (const transaction of transactions) this.#applied.set(transaction.hash, transaction);
    const is = [header.sequence, header.feePool, header.totalCoins, header.idPool].map(String);
    const expected = [step.ledger, step.fee_pool, step.total_coins, step.id_pool].map(String);
    if (!isDeepStrictEqual(is, expected)) this.#differ(`header ${is}, expected ${expected}`);
  }

  #compareApplied(index: number, step: RecordedTransaction): void {
    const applied = this.#applied.get(step.hash);
    if (!applied || step.ledger === null) {
      if ((applied === undefined) !== (step.ledger === null)) this.#differ(`applied: ${applied !== undefined}`, index);
      return;
    }
    if (applied.resultXdr !== step.result_xdr) {
      this.#differ(`result ${resultText(applied.resultXdr)}, expected ${resultText(step.result_xdr ?? '')}`, index);
    }
    if (String(applied.feeCharged) !== step.fee_charged) {
      this.#differ(`fee ${applied.feeCharged}, expected ${step.fee_charged}`, index);
    }
    if (applied.innerHash !== (step.inner_hash ?? null)) this.#differ(`inner hash ${applied.innerHash}`, index);
  }

  /** Reads the state from a ledger that loads the stored entries, which checks storing, too. */
  #compareState(expected: FinalState): void {
    const entries = [...this.#kept].map(([keyXdr, entryXdr]) => ({ keyXdr, entryXdr }));
    const { network_passphrase: networkPassphrase } = this.#recording;
    const ledger = createLedger({ networkPassphrase, header: this.#ledger.header, entries });
    const keys = entries.map(({ keyXdr }) => LedgerKey.schema.decode(Buffer.from(keyXdr, 'base64')));
    const addresses = keys.flatMap(key => (key.type === 0 ? [accountOf(key.account.accountId)] : []));
    const balances = keys.flatMap(key => (key.type === 4 ? [`00000000${hex(key.claimableBalance.balanceId.v0)}`] : []));
    this.#compareEntry('header', headerView(ledger), expected.header);
    this.#compareEntries(
      'account',
      addresses.flatMap(id => ledger.account(id) ?? []).map(accountView),
      expected.accounts,
    );
    this.#compareEntries(
      'trust line',
      addresses.flatMap(id => ledger.trustlines(id).map(trustlineView)),
      expected.trustlines,
    );
    this.#compareEntries(
      'offer',
      addresses.flatMap(id => ledger.offersOf(id).map(offerView)),
      expected.offers,
    );
    this.#compareEntries('pool', ledger.pools().map(poolView), expected.pools);
    const claimable = balances.flatMap(id => ledger.claimableBalances({ id }).map(balanceView));
    this.#compareEntries('claimable balance', claimable, expected.claimable_balances);
  }

  #compareEntries(kind: string, is: readonly object[], expected: readonly object[]): void {
    const found = new Map(is.map(entry => [idOf(entry), entry]));
    for (const entry of expected) {
      this.#compareEntry(`${kind} ${idOf(entry)}`, found.get(idOf(entry)), entry);
      found.delete(idOf(entry));
    }
    for (const id of found.keys()) this.#differ(`${kind} ${id} should not exist`, 'final state');
  }

  #compareEntry(name: string, is: object | undefined, expected: object): void {
    if (!is) {
      this.#differ(`${name} is missing`, 'final state');
      return;
    }
    const { last_modified: _, protocol_version: __, flags, ...rest } = { ...expected } as Record<string, unknown>;
    const comparable = name === 'header' ? rest : { ...rest, flags };
    for (const [field, value] of Object.entries(comparable)) {
      const actual = (is as Record<string, unknown>)[field];
      if (isDeepStrictEqual(actual, value)) continue;
      this.#differ(`${name}: ${field} is ${JSON.stringify(actual)}, expected ${JSON.stringify(value)}`, 'final state');
    }
  }
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Identifies an entry among those of its kind. */
function idOf(entry: object): string {
  const { id, offer_id, account, asset } = entry as Record<string, unknown>;
  return String(id ?? offer_id ?? `${account} ${JSON.stringify(asset)}`);
}
