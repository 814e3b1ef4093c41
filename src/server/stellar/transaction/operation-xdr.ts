import {
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
  PaymentOp,
} from '@stellar/stellar-sdk/xdr';
import type { OperationOf, StellarOperation, StellarOperationType } from './operation.ts';
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

/** Converts an operation to XDR and back. */
interface OperationCodec<T extends StellarOperationType> {
  write(operation: OperationOf<T>): OperationBody;
  read(body: BodyOf<T>): OperationOf<T>;
}

/** Every operation that the service knows. The service does not build, read or sign other operations. */
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
      OperationBody.changeTrust(new ChangeTrustOp({ line: toTrustline(asset), limit: soundAmount(limit, 0n) })),
    read: ({ changeTrustOp: op }) => ({
      type: 'changeTrust',
      asset: fromTrustline(op.line),
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
};

/** Converts an operation to XDR. Throws `EnvelopeError` for impossible values. */
export function toOperation(operation: StellarOperation): Operation {
  // The type of `codecs` matches each codec to its operation, but TypeScript cannot see this through `operation.type`.
  const { write } = codecs[operation.type] as OperationCodec<StellarOperationType>;
  const sourceAccount = operation.source === undefined ? null : toMuxedAccount(operation.source);
  return new Operation({ sourceAccount, body: write(operation) });
}

/** Reads an operation from XDR. Throws `EnvelopeError` for unknown operations. */
export function fromOperation({ sourceAccount, body }: Operation): StellarOperation {
  if (!Object.hasOwn(codecs, body.type)) throw new EnvelopeError(`an operation has the unknown type ${body.type}`);
  const known = body as BodyOf<StellarOperationType>;
  const { read } = codecs[known.type] as OperationCodec<StellarOperationType>;
  const operation = read(known);
  return sourceAccount === null ? operation : { ...operation, source: fromMuxedAccount(sourceAccount) };
}

function toTrustline(text: string): ChangeTrustAsset {
  const asset = toAsset(text);
  if (asset.type === 'assetTypeNative') throw new EnvelopeError('XLM needs no trust line');
  return asset.type === 'assetTypeCreditAlphanum4'
    ? ChangeTrustAsset.assetTypeCreditAlphanum4(asset.alphaNum4)
    : ChangeTrustAsset.assetTypeCreditAlphanum12(asset.alphaNum12);
}

function fromTrustline(line: ChangeTrustAsset): string {
  if (line.type === 'assetTypeNative' || line.type === 'assetTypePoolShare') {
    throw new EnvelopeError('a trust line is not for an asset with an issuer');
  }
  return fromAsset(line);
}

function toBalanceId(text: string): ClaimableBalanceId {
  if (!/^0{8}[0-9a-f]{64}$/.test(text)) throw new EnvelopeError('the id of a claimable balance is not valid');
  return ClaimableBalanceId.fromXdr(text, 'hex');
}
