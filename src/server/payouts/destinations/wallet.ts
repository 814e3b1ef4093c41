import type { CryptoWalletDestination } from '../../../api/payout.ts';
import { formatAsset } from '../../../core/asset.ts';
import { PayError } from '../../../core/error.ts';
import { canonicalMemo, parseMemo } from '../../../core/stellar/memo.ts';
import { decodeStrkey, isStellarAddress } from '../../../core/stellar/strkey.ts';
import { accountOf } from '../../stellar/treasury/batch.ts';
import { otherChains } from './chain-address.ts';
import type { DestinationContext, Refuse } from './destination-context.ts';

/** Checks a wallet by the rules of its chain, and returns it in canonical form. */
export function checkWallet(
  wallet: CryptoWalletDestination,
  param: string,
  context: DestinationContext,
  refuse: Refuse,
): CryptoWalletDestination | null {
  const chain = wallet.chain.trim().toLowerCase();
  if (chain === 'stellar') return checkStellarWallet(wallet, param, context, refuse);
  const form = otherChains.get(chain);
  if (form === undefined) {
    const known = ['stellar', ...otherChains.keys()].join(', ');
    return refuse(
      'chain',
      'invalid_chain',
      `“${wallet.chain.slice(0, 40)}” is not a known chain. Use one of ${known}.`,
    );
  }
  return checkOtherWallet({ ...wallet, chain }, form, refuse);
}

function checkStellarWallet(
  wallet: CryptoWalletDestination,
  param: string,
  context: DestinationContext,
  refuse: Refuse,
): CryptoWalletDestination | null {
  const address = wallet.address.trim();
  const mayHaveMemo = checkStellarAddress(address, wallet, refuse);
  if (mayHaveMemo !== null && accountOf(address) === context.ownAccount) {
    refuse('address', 'invalid_destination', 'This is the account from which the service pays. Use another one.');
  }
  const memo = readMemo(wallet, refuse);
  if (memo !== null && 'memo' in memo && mayHaveMemo === false) {
    refuse('memo', 'invalid_memo', 'A muxed account (M…) contains the id of the recipient. Leave memo out.');
  }
  const asset = readAsset(wallet.asset.trim(), param, context, refuse);
  if (wallet.claimable_balance === true) checkClaimable(address, asset, refuse);
  if (memo === null || asset === null) return null;
  const claimable = wallet.claimable_balance === true ? { claimable_balance: true } : {};
  return { type: 'crypto_wallet', chain: 'stellar', address, ...memo, asset, ...claimable };
}

/** Whether the address allows a memo. Null for an invalid address. */
function checkStellarAddress(address: string, { memo }: CryptoWalletDestination, refuse: Refuse): boolean | null {
  if (isStellarAddress(address)) return address.startsWith('G');
  if (decodeStrkey('C', address) !== null) {
    return memo === undefined
      ? refuse('address', 'invalid_address', 'A contract (C…) cannot be paid. Use an account (G… or M…).')
      : refuse('memo', 'invalid_memo', 'A contract (C…) takes no memo, and cannot be paid. Use an account (G… or M…).');
  }
  return refuse('address', 'invalid_address', wrongStellarAddress(address));
}

function wrongStellarAddress(address: string): string {
  if (decodeStrkey('S', address) !== null) {
    return 'This is the secret key of a Stellar account. A person who has it can take the money: move it, and use the public key (G…).';
  }
  if (address.includes('*')) {
    return 'This is a federation name. Use the address that it stands for (G… or M…), and its memo.';
  }
  return 'The address must be a Stellar account (G… or M…) with a valid checksum. Check each character.';
}

type Memo = Pick<CryptoWalletDestination, 'memo' | 'memo_type'>;

/** The memo with its type. Empty without a memo, and null for an invalid memo. */
function readMemo(wallet: CryptoWalletDestination, refuse: Refuse): Memo | null {
  try {
    return parseMemo(wallet) ?? {};
  } catch (error) {
    if (!(error instanceof PayError)) throw error;
    return refuse(error.param ?? 'memo', 'invalid_memo', error.message);
  }
}

/** The asset's wire text with its issuer, or null for an invalid asset. */
function readAsset(text: string, param: string, { assets }: DestinationContext, refuse: Refuse): string | null {
  try {
    return formatAsset(assets(text, `${param}.asset`));
  } catch (error) {
    if (!(error instanceof PayError)) throw error;
    return refuse('asset', error.code, error.message);
  }
}

function checkClaimable(address: string, asset: string | null, refuse: Refuse): void {
  const field = 'claimable_balance';
  if (asset === 'XLM') {
    refuse(field, 'invalid_destination', 'A claimable balance is for assets with an issuer, not for XLM.');
  } else if (address.startsWith('M')) {
    refuse(field, 'invalid_destination', 'A muxed account (M…) cannot claim a balance. Use its account (G…).');
  }
}

function checkOtherWallet(
  wallet: CryptoWalletDestination,
  { normalize, form, largestMemo }: NonNullable<ReturnType<typeof otherChains.get>>,
  refuse: Refuse,
): CryptoWalletDestination | null {
  const { chain } = wallet;
  const address = normalize(wallet.address.trim());
  if (address === null) refuse('address', 'invalid_address', `An address on ${chain} must be ${form}.`);
  const memo = readTag(wallet, largestMemo, refuse);
  const asset = wallet.asset.trim();
  if (!/^[A-Za-z0-9][A-Za-z0-9.:_-]*$/.test(asset)) {
    refuse('asset', 'invalid_asset', `“${asset}” is not an asset on ${chain}. Use its code, for example USDC.`);
  }
  if (wallet.claimable_balance === true) {
    refuse('claimable_balance', 'invalid_destination', 'Only wallets on stellar have claimable balances.');
  }
  return address === null || memo === null ? null : { type: 'crypto_wallet', chain, address, ...memo, asset };
}

/** The destination tag, which tells recipients apart who share an address. */
function readTag(wallet: CryptoWalletDestination, largest: bigint | undefined, refuse: Refuse): Memo | null {
  if (largest === undefined) {
    const field = wallet.memo !== undefined ? 'memo' : wallet.memo_type !== undefined ? 'memo_type' : null;
    return field === null ? {} : refuse(field, 'invalid_memo', `Wallets on ${wallet.chain} take no memo.`);
  }
  if (wallet.memo === undefined) return readMemo(wallet, refuse);
  const tag = wallet.memo_type === undefined || wallet.memo_type === 'id' ? canonicalMemo('id', wallet.memo) : null;
  return tag !== null && BigInt(tag) <= largest
    ? { memo: tag, memo_type: 'id' }
    : refuse('memo', 'invalid_memo', `A memo on ${wallet.chain} must be a number from 0 to ${largest}.`);
}
