import { Keypair } from '@stellar/stellar-sdk/base';

/** Whether the link ends with a signature of its other text by the key (G…), as in SEP-7 “Request Signing”. */
export function isSignedLink(link: string, key: string): boolean {
  const [, signed = '', signature = ''] = /^(.*)&signature=([^&]*)$/s.exec(link) ?? [];
  const payload = Buffer.concat([
    Buffer.alloc(35),
    Buffer.from([4]),
    Buffer.from(`stellar.sep.7 - URI Scheme${signed}`),
  ]);
  const bytes = Buffer.from(decodeURIComponent(signature), 'base64');
  return bytes.length === 64 && Keypair.fromPublicKey(key).verify(payload, bytes);
}
