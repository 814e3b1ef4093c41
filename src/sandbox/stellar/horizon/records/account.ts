import type { AccountView } from '../../core/ledger.ts';
import type { Account, Trustline } from '../../core/state/entries.ts';
import { isPoolShare, native } from '../../core/state/identifiers.ts';
import type { Links } from '../http/request.ts';
import { amountText, assetFields, authorizationFlags, type Fields, present, timeText } from './fields.ts';

/** An account as Horizon returns it. `modifiedAt` is null when the ledger of the last change was deleted as empty. */
export function accountRecord(
  account: AccountView,
  lines: readonly Trustline[],
  modifiedAt: Date | null,
  links: Links,
): Fields {
  return present({
    _links: accountLinks(account.id, links),
    ...{ id: account.id, account_id: account.id, sequence: String(account.sequence) },
    ...(account.sequenceLedger > 0 && {
      sequence_ledger: account.sequenceLedger,
      sequence_time: String(account.sequenceTime),
    }),
    subentry_count: account.subEntries,
    inflation_destination: account.inflationDestination ?? undefined,
    home_domain: account.homeDomain === '' ? undefined : account.homeDomain,
    last_modified_ledger: account.lastModified,
    last_modified_time: modifiedAt === null ? null : timeText(modifiedAt),
    thresholds: {
      low_threshold: account.thresholds.low,
      med_threshold: account.thresholds.medium,
      high_threshold: account.thresholds.high,
    },
    flags: authorizationFlags(account.flags),
    balances: [...[...lines].sort(byAsset).map(lineBalance), nativeBalance(account)],
    signers: signers(account),
    data: Object.fromEntries(account.data.map(({ name, value }) => [name, Buffer.from(value).toString('base64')])),
    num_sponsoring: account.sponsoring,
    num_sponsored: account.sponsored,
    sponsor: account.sponsor ?? undefined,
    paging_token: account.id,
  });
}

function accountLinks(id: string, links: Links): Fields {
  const self = `/accounts/${id}`;
  return {
    self: links.to(self),
    transactions: links.page(`${self}/transactions`),
    operations: links.page(`${self}/operations`),
    payments: links.page(`${self}/payments`),
    effects: links.page(`${self}/effects`),
    offers: links.page(`${self}/offers`),
    trades: links.page(`${self}/trades`),
    data: links.to(`${self}/data/{key}`),
  };
}

/** Sorts by code and issuer, after pool shares, which have neither. */
function byAsset(a: Trustline, b: Trustline): number {
  const [x, y] = [a, b].map(({ asset }) => (isPoolShare(asset) ? ` ${asset}` : asset));
  return (x ?? '') < (y ?? '') ? -1 : 1;
}

function lineBalance(line: Trustline): Fields {
  const authorized = (line.flags & 1) !== 0;
  const shares = isPoolShare(line.asset);
  return present({
    balance: amountText(line.balance),
    ...(shares && { liquidity_pool_id: line.asset }),
    limit: amountText(line.limit),
    ...(!shares && {
      buying_liabilities: amountText(line.buying),
      selling_liabilities: amountText(line.selling),
    }),
    sponsor: shares ? undefined : (line.sponsor ?? undefined),
    last_modified_ledger: line.lastModified,
    is_authorized: authorized,
    is_authorized_to_maintain_liabilities: authorized || (line.flags & 2) !== 0,
    is_clawback_enabled: (line.flags & 4) !== 0 ? true : undefined,
    ...(shares ? { asset_type: 'liquidity_pool_shares' } : assetFields(line.asset)),
  });
}

function nativeBalance(account: Account): Fields {
  return {
    balance: amountText(account.balance),
    buying_liabilities: amountText(account.buying),
    selling_liabilities: amountText(account.selling),
    ...assetFields(native),
  };
}

const signerTypes: Readonly<Record<string, string>> = {
  G: 'ed25519_public_key',
  T: 'preauth_tx',
  X: 'sha256_hash',
  P: 'ed25519_signed_payload',
};

/** Sorted by key. A master key with weight 0 is no signer and comes last. */
function signers(account: Account): readonly Fields[] {
  const master = { key: account.id, weight: account.thresholds.master, sponsor: null };
  const listed = [...account.signers, ...(master.weight > 0 ? [master] : [])].sort((a, b) => (a.key < b.key ? -1 : 1));
  const all = master.weight > 0 ? listed : [...listed, master];
  return all.map(({ key, weight, sponsor }) =>
    present({ weight, key, type: signerTypes[key.charAt(0)], sponsor: sponsor ?? undefined }),
  );
}
