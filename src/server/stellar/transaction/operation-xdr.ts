import {
  BeginSponsoringFutureReservesOp,
  ChangeTrustAsset,
  ChangeTrustOp,
  ClaimableBalanceId,
  Claimant,
  ClaimantV0,
  ClaimClaimableBalanceOp,
  CreateAccountOp,
  CreateClaimableBalanceOp,
  ManageDataOp,
  Operation,
  OperationBody,
  PathPaymentStrictReceiveOp,
  PathPaymentStrictSendOp,
  PaymentOp,
  SetOptionsOp,
} from '@stellar/stellar-sdk/xdr';
import type { AccountFlag, OperationOf, StellarOperation, StellarOperationType } from './operation.ts';
import {
  EnvelopeError,
  fromAccount,
  fromAsset,
  fromMuxedAccount,
  fromPredicate,
  fromText,
  soundAmount,
  toAccount,
  toAsset,
  toMuxedAccount,
  toPredicate,
} from './xdr-values.ts';

type BodyOf<T extends StellarOperationType> = Extract<OperationBody, { readonly type: T }>;

/** How an operation becomes XDR, and how it is read again. */
interface OperationCodec<T extends StellarOperationType> {
  write(operation: OperationOf<T>): OperationBody;
  read(body: BodyOf<T>): OperationOf<T>;
}

/** Every operation the service knows; one that is not in this table is neither built nor read nor signed. */
const codecs: { readonly [T in StellarOperationType]: OperationCodec<T> } = {
  payment: {
    write: ({ destination, asset, amount }) =>
      OperationBody.payment(
        new PaymentOp({
          destination: toMuxedAccount(destination),
          asset: toAsset(asset),
          amount: soundAmount(amount),
        }),
      ),
    read: ({ paymentOp: op }) => ({
      type: 'payment',
      destination: fromMuxedAccount(op.destination),
      asset: fromAsset(op.asset),
      amount: soundAmount(op.amount),
    }),
  },
  pathPaymentStrictReceive: {
    write: operation =>
      OperationBody.pathPaymentStrictReceive(
        new PathPaymentStrictReceiveOp({
          sendAsset: toAsset(operation.sendAsset),
          sendMax: soundAmount(operation.sendMax),
          destination: toMuxedAccount(operation.destination),
          destAsset: toAsset(operation.destinationAsset),
          destAmount: soundAmount(operation.destinationAmount),
          path: operation.path.map(toAsset),
        }),
      ),
    read: ({ pathPaymentStrictReceiveOp: op }) => ({
      type: 'pathPaymentStrictReceive',
      sendAsset: fromAsset(op.sendAsset),
      sendMax: soundAmount(op.sendMax),
      destination: fromMuxedAccount(op.destination),
      destinationAsset: fromAsset(op.destAsset),
      destinationAmount: soundAmount(op.destAmount),
      path: op.path.map(fromAsset),
    }),
  },
  pathPaymentStrictSend: {
    write: operation =>
      OperationBody.pathPaymentStrictSend(
        new PathPaymentStrictSendOp({
          sendAsset: toAsset(operation.sendAsset),
          sendAmount: soundAmount(operation.sendAmount),
          destination: toMuxedAccount(operation.destination),
          destAsset: toAsset(operation.destinationAsset),
          destMin: soundAmount(operation.destinationMin),
          path: operation.path.map(toAsset),
        }),
      ),
    read: ({ pathPaymentStrictSendOp: op }) => ({
      type: 'pathPaymentStrictSend',
      sendAsset: fromAsset(op.sendAsset),
      sendAmount: soundAmount(op.sendAmount),
      destination: fromMuxedAccount(op.destination),
      destinationAsset: fromAsset(op.destAsset),
      destinationMin: soundAmount(op.destMin),
      path: op.path.map(fromAsset),
    }),
  },
  createAccount: {
    write: ({ destination, startingBalance }) =>
      OperationBody.createAccount(
        new CreateAccountOp({
          destination: toAccount(destination),
          startingBalance: soundAmount(startingBalance, 0n),
        }),
      ),
    read: ({ createAccountOp: op }) => ({
      type: 'createAccount',
      destination: fromAccount(op.destination),
      startingBalance: soundAmount(op.startingBalance, 0n),
    }),
  },
  changeTrust: {
    write: ({ asset, limit }) =>
      OperationBody.changeTrust(new ChangeTrustOp({ line: toTrustLine(asset), limit: soundAmount(limit, 0n) })),
    read: ({ changeTrustOp: op }) => ({
      type: 'changeTrust',
      asset: fromTrustLine(op.line),
      limit: soundAmount(op.limit, 0n),
    }),
  },
  createClaimableBalance: {
    write: ({ asset, amount, claimants }) =>
      OperationBody.createClaimableBalance(
        new CreateClaimableBalanceOp({
          asset: toAsset(asset),
          amount: soundAmount(amount),
          claimants: claimants.map(({ destination, predicate }) =>
            Claimant.claimantTypeV0(
              new ClaimantV0({ destination: toAccount(destination), predicate: toPredicate(predicate) }),
            ),
          ),
        }),
      ),
    read: ({ createClaimableBalanceOp: op }) => ({
      type: 'createClaimableBalance',
      asset: fromAsset(op.asset),
      amount: soundAmount(op.amount),
      claimants: op.claimants.map(({ v0 }) => ({
        destination: fromAccount(v0.destination),
        predicate: fromPredicate(v0.predicate),
      })),
    }),
  },
  claimClaimableBalance: {
    write: ({ balanceId }) =>
      OperationBody.claimClaimableBalance(new ClaimClaimableBalanceOp({ balanceId: toBalanceId(balanceId) })),
    read: ({ claimClaimableBalanceOp: op }) => ({
      type: 'claimClaimableBalance',
      balanceId: op.balanceId.toXdr('hex'),
    }),
  },
  manageData: {
    write: ({ name, value }) => OperationBody.manageData(new ManageDataOp({ dataName: name, dataValue: value })),
    read: ({ manageDataOp: op }) => ({
      type: 'manageData',
      name: fromText(op.dataName),
      value: op.dataValue === null ? null : Uint8Array.from(op.dataValue.toBytes()),
    }),
  },
  setOptions: {
    write: operation => OperationBody.setOptions(toSetOptions(operation)),
    read: ({ setOptionsOp: op }) => fromSetOptions(op),
  },
  beginSponsoringFutureReserves: {
    write: ({ sponsored }) =>
      OperationBody.beginSponsoringFutureReserves(
        new BeginSponsoringFutureReservesOp({ sponsoredId: toAccount(sponsored) }),
      ),
    read: ({ beginSponsoringFutureReservesOp: op }) => ({
      type: 'beginSponsoringFutureReserves',
      sponsored: fromAccount(op.sponsoredId),
    }),
  },
  endSponsoringFutureReserves: {
    write: () => OperationBody.endSponsoringFutureReserves(),
    read: () => ({ type: 'endSponsoringFutureReserves' }),
  },
};

/** The XDR of an operation. Throws EnvelopeError when it cannot be one. */
export function toOperation(operation: StellarOperation): Operation {
  // The table’s type says that each entry takes its own operations; the compiler cannot follow the name through it.
  const { write } = codecs[operation.type] as OperationCodec<StellarOperationType>;
  const sourceAccount = operation.source === undefined ? null : toMuxedAccount(operation.source);
  return new Operation({ sourceAccount, body: write(operation) });
}

/** The operation behind XDR. Throws EnvelopeError when the service does not know it. */
export function fromOperation({ sourceAccount, body }: Operation): StellarOperation {
  if (!isKnown(body)) throw new EnvelopeError(`an operation is of the unknown kind ${body.type}`);
  const { read } = codecs[body.type] as OperationCodec<StellarOperationType>;
  const operation = read(body);
  return sourceAccount === null ? operation : { ...operation, source: fromMuxedAccount(sourceAccount) };
}

function isKnown(body: OperationBody): body is BodyOf<StellarOperationType> {
  return Object.hasOwn(codecs, body.type);
}

function toTrustLine(text: string): ChangeTrustAsset {
  const asset = toAsset(text);
  if (asset.type === 'assetTypeNative') throw new EnvelopeError('XLM needs no trust line');
  return asset.type === 'assetTypeCreditAlphanum4'
    ? ChangeTrustAsset.assetTypeCreditAlphanum4(asset.alphaNum4)
    : ChangeTrustAsset.assetTypeCreditAlphanum12(asset.alphaNum12);
}

function fromTrustLine(line: ChangeTrustAsset): string {
  if (line.type === 'assetTypeNative' || line.type === 'assetTypePoolShare') {
    throw new EnvelopeError('a trust line is not for an asset with an issuer');
  }
  return fromAsset(line);
}

function toBalanceId(text: string): ClaimableBalanceId {
  if (!/^0{8}[0-9a-f]{64}$/.test(text)) throw new EnvelopeError('a claimable balance has no such id');
  return ClaimableBalanceId.fromXdr(text, 'hex');
}

/** Bits of `AccountFlags` in the protocol. */
const flagBits: readonly (readonly [AccountFlag, number])[] = [
  ['required', 1],
  ['revocable', 2],
  ['immutable', 4],
  ['clawback_enabled', 8],
];

function toFlags(flags: readonly AccountFlag[] | undefined): number | null {
  if (flags === undefined) return null;
  return flagBits.filter(([flag]) => flags.includes(flag)).reduce((bits, [, bit]) => bits | bit, 0);
}

function fromFlags(bits: number): AccountFlag[] {
  if (bits > 15) throw new EnvelopeError('an account has no such flag');
  return flagBits.filter(([, bit]) => (bits & bit) !== 0).map(([flag]) => flag);
}

function toSetOptions({ homeDomain, setFlags, clearFlags }: OperationOf<'setOptions'>): SetOptionsOp {
  return new SetOptionsOp({
    ...{ inflationDest: null, masterWeight: null, lowThreshold: null, medThreshold: null, highThreshold: null },
    signer: null,
    homeDomain: homeDomain ?? null,
    setFlags: toFlags(setFlags),
    clearFlags: toFlags(clearFlags),
  });
}

/** Whoever may sign for an account is none of the service’s business: such options are not understood. */
function fromSetOptions(op: SetOptionsOp): OperationOf<'setOptions'> {
  const { homeDomain, setFlags, clearFlags, signer, ...others } = op;
  const { inflationDest, masterWeight, lowThreshold, medThreshold, highThreshold } = others;
  if ([signer, inflationDest, masterWeight, lowThreshold, medThreshold, highThreshold].some(value => value !== null)) {
    throw new EnvelopeError('options of an account are set that the service does not know');
  }
  return {
    type: 'setOptions',
    ...(homeDomain !== null && { homeDomain: fromText(homeDomain) }),
    ...(setFlags !== null && { setFlags: fromFlags(setFlags) }),
    ...(clearFlags !== null && { clearFlags: fromFlags(clearFlags) }),
  };
}
