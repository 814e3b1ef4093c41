import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { base58, base58xrp, bech32, bech32m, createBase58check } from '@scure/base';
import { type WalletChain, walletChains } from '../../../core/chains/wallet-chains.ts';

/**
 * Checks addresses of chains other than Stellar by form and checksum. Each function returns the canonical spelling, or
 * null for an invalid text. `@scure/base` decodes texts, and `@noble/hashes` computes Keccak-256.
 */

type Normalize = (text: string) => string | null;

/** A chain whose addresses can be checked. */
interface ChainForm {
  readonly normalize: Normalize;
  /** The form of addresses, for messages. */
  readonly form: string;
  /** Maximum memo on a chain with numeric memos. */
  readonly largestMemo?: bigint;
}

const evm: ChainForm = { normalize: normalizeEvm, form: '0x and 40 hexadecimal digits with a valid checksum' };

const forms: Readonly<Record<WalletChain, ChainForm>> = {
  ethereum: evm,
  base: evm,
  polygon: evm,
  bnb: evm,
  arbitrum: evm,
  optimism: evm,
  avalanche: evm,
  bitcoin: { normalize: bitcoinLike([0x00, 0x05], 'bc'), form: 'an address that begins with 1, 3 or bc1' },
  litecoin: { normalize: bitcoinLike([0x30, 0x32], 'ltc'), form: 'an address that begins with L, M or ltc1' },
  dogecoin: { normalize: bitcoinLike([0x1e, 0x16], null), form: 'an address that begins with D, 9 or A' },
  tron: { normalize: bitcoinLike([0x41], null), form: 'an address that begins with T' },
  solana: { normalize: normalizeSolana, form: 'a public key of 32 bytes in base58' },
  xrpl: { normalize: normalizeXrpl, form: 'an address that begins with r', largestMemo: 2n ** 32n - 1n },
};

export const otherChains: ReadonlyMap<string, ChainForm> = new Map(walletChains.map(chain => [chain, forms[chain]]));

/** The result of `read`, or null if it throws. Decoders throw for an invalid text. */
function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** The mix of capital and small letters is the checksum (EIP-55). Adds the checksum to an address without it. */
function normalizeEvm(text: string): string | null {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return null;
  const digits = text.slice(2).toLowerCase();
  const hash = keccak_256(new TextEncoder().encode(digits));
  const isHigh = (index: number) => ((hash[index >> 1] ?? 0) >> (index % 2 === 0 ? 4 : 0)) & 8;
  const summed = `0x${[...digits].map((digit, index) => (isHigh(index) ? digit.toUpperCase() : digit)).join('')}`;
  const hasOneCase = text.slice(2) === digits || text.slice(2) === digits.toUpperCase();
  return hasOneCase || text === summed ? summed : null;
}

const base58check = createBase58check(sha256);

/** Accepts Base58Check (one of the version bytes, a hash of 20 bytes) and witness programs (BIP 173, BIP 350). */
function bitcoinLike(versions: readonly number[], prefix: string | null): Normalize {
  return text => {
    if (prefix !== null && text.toLowerCase().startsWith(`${prefix}1`)) return normalizeWitness(text, prefix);
    const bytes = attempt(() => base58check.decode(text));
    return bytes?.length === 21 && versions.includes(bytes[0] ?? -1) ? text : null;
  };
}

function normalizeWitness(text: string, prefix: string): string | null {
  const old = bech32.decodeUnsafe(text);
  const found = old ?? bech32m.decodeUnsafe(text);
  const [version = -1, ...words] = found?.words ?? [];
  const program = bech32.fromWordsUnsafe(words);
  if (found?.prefix !== prefix || !program || version < 0 || version > 16) return null;
  const length = program.length;
  const fits = version === 0 ? length === 20 || length === 32 : length >= 2 && length <= 40;
  return fits && (version === 0) === (old !== undefined) ? text.toLowerCase() : null;
}

function normalizeSolana(text: string): string | null {
  return text.length <= 44 && attempt(() => base58.decode(text))?.length === 32 ? text : null;
}

/**
 * A classic XRPL address: version 0, 20 bytes, four bytes of a double SHA-256. Rejects X-addresses, which have a tag.
 */
function normalizeXrpl(text: string): string | null {
  const bytes = text.length <= 35 ? attempt(() => base58xrp.decode(text)) : null;
  if (bytes?.length !== 25 || bytes[0] !== 0) return null;
  const sum = sha256(sha256(bytes.subarray(0, 21)));
  return bytes.subarray(21).every((byte, index) => byte === sum[index]) ? text : null;
}
