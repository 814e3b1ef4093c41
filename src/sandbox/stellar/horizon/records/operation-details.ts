import type { OperationResultTrWire, OperationWire, TransactionWire } from '@stellar/stellar-sdk/xdr';
import {
  accountOf,
  allowTrustAsset,
  assetText,
  balanceIdText,
  poolIdOf,
  signerText,
} from '../../core/state/identifiers.ts';
import { sourceOf } from '../../history/decoded-transaction.ts';
import { beginningOf } from '../../history/ledger-records.ts';
import type { StoredMovement } from '../../tables.ts';
import { depositDetails, sponsorshipFields, withdrawalDetails } from './entry-details.ts';
import {
  accountFields,
  accountFlagNames,
  amountText,
  assetFields,
  type Fields,
  flagFields,
  lineFlagNames,
  priceText,
} from './fields.ts';
import { predicateFields } from './ledger-entries.ts';

/** An operation of a stored transaction. */
export interface KnownOperation {
  readonly operation: OperationWire;
  readonly transaction: TransactionWire;
  readonly index: number;
  /** Null if the transaction failed. */
  readonly result: OperationResultTrWire | null;
}

type Body<Type extends number> = Extract<OperationWire['body'], { type: Type }>;

/** The fields that depend on the operation’s type. `moved` is the stored movement, or null. */
export function operationDetails(known: KnownOperation, moved: StoredMovement | null): Fields {
  const { body } = known.operation;
  const source = sourceOf(known.operation, known.transaction);
  switch (body.type) {
    case 0:
      return {
        starting_balance: amountText(body.createAccountOp.startingBalance),
        ...accountFields(source, 'funder'),
        account: accountOf(body.createAccountOp.destination),
      };
    case 1:
      return {
        ...assetFields(assetText(body.paymentOp.asset)),
        ...accountFields(source, 'from'),
        ...accountFields(body.paymentOp.destination, 'to'),
        amount: amountText(body.paymentOp.amount),
      };
    case 2:
      return strictReceive(body, known);
    case 13:
      return strictSend(body, known);
    case 8:
      return { ...accountFields(source, 'account'), ...accountFields(body.destination, 'into') };
    case 3:
    case 4:
    case 12:
      return offerDetails(body);
    case 6:
      return changeTrust(body, known);
    case 14:
    case 15:
    case 20:
      return balanceDetails(body, known);
    case 22:
      return depositDetails(body.liquidityPoolDepositOp, moved);
    case 23:
      return withdrawalDetails(body.liquidityPoolWithdrawOp, moved);
    default:
      return settingDetails(known);
  }
}

function strictReceive({ pathPaymentStrictReceiveOp: op }: Body<2>, known: KnownOperation): Fields {
  const result = known.result?.type === 2 ? known.result.pathPaymentStrictReceiveResult : null;
  return {
    ...pathEnds(op, known),
    amount: amountText(op.destAmount),
    path: op.path.map(asset => assetFields(assetText(asset))),
    source_amount: amountText(result?.code === 0 ? sentBy(result.success, op.sendAsset) : 0n),
    source_max: amountText(op.sendMax),
    ...assetFields(assetText(op.sendAsset), 'source_'),
  };
}

type ReceiveSuccess = Extract<
  Extract<OperationResultTrWire, { type: 2 }>['pathPaymentStrictReceiveResult'],
  { code: 0 }
>['success'];
type Asset = Body<2>['pathPaymentStrictReceiveOp']['sendAsset'];

/** The sent amount: the sum of the first step’s trades. Without trades it equals the received amount. */
function sentBy({ offers, last }: ReceiveSuccess, sendAsset: Asset): bigint {
  const sent = assetText(sendAsset);
  let total = 0n;
  for (const atom of offers) {
    const trade = atom.type === 2 ? atom.liquidityPool : atom.type === 1 ? atom.orderBook : atom.v0;
    if (assetText(trade.assetBought) !== sent) break;
    total += trade.amountBought;
  }
  return offers.length === 0 ? last.amount : total;
}

function strictSend({ pathPaymentStrictSendOp: op }: Body<13>, known: KnownOperation): Fields {
  const result = known.result?.type === 13 ? known.result.pathPaymentStrictSendResult : null;
  return {
    ...pathEnds(op, known),
    amount: amountText(result?.code === 0 ? result.success.last.amount : 0n),
    path: op.path.map(asset => assetFields(assetText(asset))),
    source_amount: amountText(op.sendAmount),
    destination_min: amountText(op.destMin),
    ...assetFields(assetText(op.sendAsset), 'source_'),
  };
}

type PathEnds = Pick<Body<2>['pathPaymentStrictReceiveOp'], 'destAsset' | 'destination'>;

function pathEnds({ destAsset, destination }: PathEnds, { operation, transaction }: KnownOperation): Fields {
  return {
    ...assetFields(assetText(destAsset)),
    ...accountFields(sourceOf(operation, transaction), 'from'),
    ...accountFields(destination, 'to'),
  };
}

function offerDetails(body: Body<3> | Body<4> | Body<12>): Fields {
  const op =
    body.type === 3
      ? body.manageSellOfferOp
      : body.type === 12
        ? { ...body.manageBuyOfferOp, amount: body.manageBuyOfferOp.buyAmount }
        : body.createPassiveSellOfferOp;
  return {
    amount: amountText(op.amount),
    price: priceText(op.price),
    price_r: { n: op.price.n, d: op.price.d },
    ...assetFields(assetText(op.buying), 'buying_'),
    ...assetFields(assetText(op.selling), 'selling_'),
    ...('offerId' in op && { offer_id: String(op.offerId) }),
  };
}

function changeTrust({ changeTrustOp: { line, limit } }: Body<6>, { operation, transaction }: KnownOperation): Fields {
  const trustor = accountFields(sourceOf(operation, transaction), 'trustor');
  if (line.type === 3) {
    const { assetA, assetB } = line.liquidityPool.constantProduct;
    const pool = poolIdOf(assetText(assetA), assetText(assetB));
    return { asset_type: 'liquidity_pool_shares', liquidity_pool_id: pool, limit: amountText(limit), ...trustor };
  }
  const fields = assetFields(assetText(line));
  return { ...fields, limit: amountText(limit), trustee: fields['asset_issuer'], ...trustor };
}

function balanceDetails(body: Body<14> | Body<15> | Body<20>, { operation, transaction }: KnownOperation): Fields {
  if (body.type === 14) {
    const { asset, amount, claimants } = body.createClaimableBalanceOp;
    return {
      asset: assetText(asset),
      amount: amountText(amount),
      claimants: claimants.map(({ v0 }) => ({
        destination: accountOf(v0.destination),
        predicate: predicateFields(v0.predicate),
      })),
    };
  }
  if (body.type === 20) return { balance_id: balanceIdText(body.clawbackClaimableBalanceOp.balanceId) };
  return {
    balance_id: balanceIdText(body.claimClaimableBalanceOp.balanceId),
    ...accountFields(sourceOf(operation, transaction), 'claimant'),
  };
}

function settingDetails(known: KnownOperation): Fields {
  const { body } = known.operation;
  const source = sourceOf(known.operation, known.transaction);
  switch (body.type) {
    case 5:
      return optionDetails(body.setOptionsOp);
    case 7:
      return allowTrustDetails(body.allowTrustOp, source);
    case 10:
      return {
        name: body.manageDataOp.dataName.toString(),
        value: body.manageDataOp.dataValue === null ? '' : Buffer.from(body.manageDataOp.dataValue).toString('base64'),
      };
    case 11:
      return { bump_to: String(body.bumpSequenceOp.bumpTo) };
    case 16:
      return { sponsored_id: accountOf(body.beginSponsoringFutureReservesOp.sponsoredId) };
    case 17: {
      const begin = known.result === null ? null : beginningOf(known.transaction, known.index);
      return begin === null ? {} : accountFields(sourceOf(begin, known.transaction), 'begin_sponsor');
    }
    case 18:
      return sponsorshipFields(body.revokeSponsorshipOp);
    case 19:
      return {
        ...assetFields(assetText(body.clawbackOp.asset)),
        ...accountFields(body.clawbackOp.from, 'from'),
        amount: amountText(body.clawbackOp.amount),
      };
    case 21:
      return {
        ...assetFields(assetText(body.setTrustLineFlagsOp.asset)),
        trustor: accountOf(body.setTrustLineFlagsOp.trustor),
        ...flagFields(body.setTrustLineFlagsOp.setFlags, lineFlagNames, 'set'),
        ...flagFields(body.setTrustLineFlagsOp.clearFlags, lineFlagNames, 'clear'),
      };
    default:
      return {};
  }
}

function optionDetails(op: Body<5>['setOptionsOp']): Fields {
  const numbers = {
    master_key_weight: op.masterWeight,
    low_threshold: op.lowThreshold,
    med_threshold: op.medThreshold,
    high_threshold: op.highThreshold,
  };
  return {
    ...(op.homeDomain !== null && { home_domain: op.homeDomain.toString() }),
    ...(op.inflationDest !== null && { inflation_dest: accountOf(op.inflationDest) }),
    ...Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== null)),
    ...(op.signer !== null && { signer_key: signerText(op.signer.key), signer_weight: op.signer.weight }),
    ...flagFields(op.setFlags ?? 0, accountFlagNames, 'set'),
    ...flagFields(op.clearFlags ?? 0, accountFlagNames, 'clear'),
  };
}

function allowTrustDetails(op: Body<7>['allowTrustOp'], source: TransactionWire['sourceAccount']): Fields {
  const authorized = (op.authorize & 1) !== 0;
  return {
    ...assetFields(assetText(allowTrustAsset(op.asset, accountOf(source)))),
    ...accountFields(source, 'trustee'),
    trustor: accountOf(op.trustor),
    authorize: authorized,
    authorize_to_maintain_liabilities: authorized || (op.authorize & 2) !== 0,
  };
}
