import { createHash, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import {
  Asset,
  getLiquidityPoolId,
  Keypair,
  LiquidityPoolAsset,
  LiquidityPoolFeeV18,
  Networks,
  Operation,
  Account as SdkAccount,
  TransactionBuilder,
} from '@stellar/stellar-sdk/base';
import { DecoratedSignature, type Operation as OperationXdr } from '@stellar/stellar-sdk/xdr';
import { createLedger, type Ledger, type Submission } from '../../../../src/sandbox/stellar/core/ledger.ts';
import type { ClosedLedger } from '../../../../src/sandbox/stellar/core/ledger-close.ts';
import {
  type ChangedEntry,
  type Entry,
  type LedgerHeader,
  newAccount,
} from '../../../../src/sandbox/stellar/core/state/entries.ts';
import { decodeEntry, encodeEntry } from '../../../../src/sandbox/stellar/core/state/entry-xdr.ts';
import {
  type LedgerRules,
  protocol19Rules,
} from '../../../../src/sandbox/stellar/core/transactions/transaction-queue.ts';

/** A key of a test account. Node signs with it, about twenty times as fast as the SDK. */
interface PersonKey {
  readonly address: string;
  readonly hint: Uint8Array;
  readonly privateKey: KeyObject;
}

/** PKCS #8 (RFC 8410) around an Ed25519 seed. */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');
const keys = new Map<string, PersonKey>();

/** The constant key of a name. */
function keyOf(name: string): PersonKey {
  const known = keys.get(name);
  if (known) return known;
  const seed = createHash('sha256').update(`world/${name}`).digest();
  const pair = keypairOf(name);
  const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: 'der', type: 'pkcs8' });
  const key = { address: pair.publicKey(), hint: pair.rawPublicKey().slice(-4), privateKey };
  keys.set(name, key);
  return key;
}

/** The key in the SDK’s form. */
export const keypairOf = (name: string): Keypair =>
  Keypair.fromRawEd25519Seed(createHash('sha256').update(`world/${name}`).digest());

export const addressOf = (name: string): string => keyOf(name).address;

function signature(name: string, hash: Uint8Array): DecoratedSignature {
  const { hint, privateKey } = keyOf(name);
  return DecoratedSignature.fromXdrObject({ hint, signature: sign(null, hash, privateKey) });
}

const totalCoins = 1_000_000_000_000_000_000n;

const firstHeader: LedgerHeader = {
  sequence: 2,
  closeTime: 1_700_000_000n,
  baseFee: 100,
  baseReserve: 5_000_000,
  maxTxSetSize: 1000,
  feePool: 0n,
  totalCoins,
  idPool: 0n,
};

export interface WorldOptions {
  readonly rules?: LedgerRules;
  readonly header?: Partial<LedgerHeader>;
  readonly entries?: readonly ChangedEntry[];
}

/** Changes a transaction before it is signed. */
export type Shape = (builder: TransactionBuilder) => TransactionBuilder;

/** A ledger with stored entries, and named accounts that send transactions built by the real SDK. */
export class World {
  readonly ledger: Ledger;
  readonly #kept = new Map<string, string>();

  constructor({ rules = protocol19Rules, header = {}, entries = [entryOf('root', totalCoins)] }: WorldOptions = {}) {
    this.#keep(entries);
    this.ledger = createLedger({
      networkPassphrase: Networks.TESTNET,
      header: { ...firstHeader, ...header },
      rules,
      entries,
    });
  }

  /** All entries in their stored form. */
  get entries(): ChangedEntry[] {
    return [...this.#kept].map(([keyXdr, entryXdr]) => ({ keyXdr, entryXdr }));
  }

  get read(): Entry[] {
    return [...this.#kept.values()].map(decodeEntry);
  }

  /** An envelope with the account’s next sequence plus `after`, signed by the account and its cosigners. */
  envelope(
    source: string,
    operations: readonly OperationXdr[],
    { fee = 100, after = 0, signers = [] as readonly string[], shape = (b => b.setTimeout(0)) as Shape } = {},
  ): string {
    const sequence = (this.ledger.account(addressOf(source))?.sequence ?? 0n) + BigInt(after);
    const account = new SdkAccount(addressOf(source), String(sequence));
    const builder = new TransactionBuilder(account, { fee: String(fee), networkPassphrase: Networks.TESTNET });
    for (const operation of operations) builder.addOperation(operation);
    const transaction = shape(builder).build();
    for (const name of new Set([source, ...signers])) transaction.signatures.push(signature(name, transaction.hash()));
    return transaction.toEnvelope().toXdr('base64');
  }

  submit(envelopeXdr: string): Submission {
    return this.ledger.submit(envelopeXdr);
  }

  close(seconds = 5n): ClosedLedger {
    const closed = this.ledger.close(this.ledger.header.closeTime + seconds);
    this.#keep(closed.changes);
    return closed;
  }

  /** Submits the transaction, which must be accepted, and closes a ledger. */
  apply(
    source: string,
    operations: readonly OperationXdr[],
    options: Parameters<World['envelope']>[2] = {},
  ): ClosedLedger {
    const submission = this.submit(this.envelope(source, operations, options));
    if (submission.status !== 'PENDING') throw new Error(`${submission.status} ${submission.resultXdr}`);
    return this.close();
  }

  /** Like {@link apply}; the transaction must succeed. */
  succeed(source: string, operations: readonly OperationXdr[], options: Parameters<World['envelope']>[2] = {}): void {
    const [applied] = this.apply(source, operations, options).transactions;
    if (!applied?.successful) throw new Error(`failed: ${applied?.resultXdr}`);
  }

  #keep(changes: readonly ChangedEntry[]): void {
    for (const { keyXdr, entryXdr } of changes) {
      if (entryXdr === null) this.#kept.delete(keyXdr);
      else this.#kept.set(keyXdr, entryXdr);
    }
  }
}

/** The stored form of a plain account. */
export function entryOf(name: string, balance: bigint): ChangedEntry {
  return encodeEntry({ kind: 'account', entry: newAccount(addressOf(name), balance, 0, null) });
}

/** An asset by its code; `XLM` is native. */
export const assetOf = (code: string): Asset =>
  code === 'XLM' ? Asset.native() : new Asset(code, addressOf('issuer'));

export const people = ['ann', 'ben', 'cid', 'dee'] as const;
export const codes = ['XLM', 'USD', 'EUR', 'NAIRA'] as const;

/** A ledger whose accounts hold every asset. */
export function fundedWorld(options: WorldOptions = {}): World {
  const world = new World(options);
  const names = ['issuer', ...people];
  world.succeed(
    'root',
    names.map(name => Operation.createAccount({ destination: addressOf(name), startingBalance: '1000' })),
  );
  const credits = codes.slice(1).map(assetOf);
  for (const name of people)
    world.succeed(
      name,
      credits.map(asset => Operation.changeTrust({ asset })),
    );
  const payments = people.flatMap(name =>
    credits.map(asset => Operation.payment({ destination: addressOf(name), asset, amount: '1000' })),
  );
  world.succeed('issuer', payments);
  return world;
}

const pairsOf = (names: readonly string[]): [Asset, Asset][] =>
  names.flatMap((a, i) => names.slice(i + 1).map((b): [Asset, Asset] => [assetOf(a), assetOf(b)]));

/** Like `fundedWorld`, with offers in both directions and a pool for every pair. */
export function tradingWorld(options: WorldOptions = {}): World {
  const world = fundedWorld(options);
  const pairs = pairsOf(codes);
  const quotes = pairs.flatMap(([a, b], i) => [
    Operation.manageSellOffer({ selling: a, buying: b, amount: '20', price: { n: 101 + i, d: 97 } }),
    Operation.manageSellOffer({ selling: b, buying: a, amount: '15.0000003', price: { n: 103, d: 95 + i } }),
  ]);
  world.succeed('dee', quotes, { fee: 1200 });
  const deposits = pairs.flatMap(assets => {
    const [a, b] = assets.sort(Asset.compare);
    const asset = new LiquidityPoolAsset(a as Asset, b as Asset, LiquidityPoolFeeV18);
    const id = getLiquidityPoolId('constant_product', asset.getLiquidityPoolParameters());
    const bounds = { minPrice: { n: 1, d: 100 }, maxPrice: { n: 100, d: 1 } };
    const amounts = { maxAmountA: '30', maxAmountB: '33.3333333' };
    const liquidityPoolId = Buffer.from(id).toString('hex');
    return [
      Operation.changeTrust({ asset }),
      Operation.liquidityPoolDeposit({ liquidityPoolId, ...amounts, ...bounds }),
    ];
  });
  world.succeed('cid', deposits, { fee: 1200 });
  return world;
}
