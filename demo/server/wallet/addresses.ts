import { extractBaseAddress, StrKey } from '@stellar/stellar-sdk/base';

/** The account behind an address: of `M…` its `G…`. */
export function baseAddress(address: string): string {
  return StrKey.isValidMed25519PublicKey(address) ? extractBaseAddress(address) : address;
}
