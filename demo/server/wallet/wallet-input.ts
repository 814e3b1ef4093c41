import { type Static, type TSchema, Type } from 'typebox';
import { Check } from 'typebox/value';
import { isStellarAddress } from '../../../src/core/stellar/strkey.ts';
import { jsonBody } from '../shop-input.ts';
import { WalletError } from './wallet-error.ts';

const Text = Type.String({ maxLength: 120 });
const AmountText = Type.String({ pattern: '^(0|[1-9][0-9]{0,11})(\\.[0-9]{1,7})?$' });
const AssetText = Type.String({ pattern: '^(XLM|[A-Za-z0-9]{1,12}:G[A-Z2-7]{55})$' });
const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' });

const Wish = Type.Object({
  to: Text,
  asset: AssetText,
  amount: AmountText,
  memo: Type.Union([
    Type.Null(),
    Type.Object({ type: Type.Union([Type.Literal('text'), Type.Literal('id')]), value: Text }),
    Type.Object({ type: Type.Union([Type.Literal('hash'), Type.Literal('return')]), value: Hash }),
  ]),
});

const Way = Type.Object({
  asset: AssetText,
  amount: AmountText,
  atMost: AmountText,
  path: Type.Array(AssetText, { maxItems: 5 }),
  spendable: AmountText,
});

const SetAside = Type.Object({ id: Type.String({ pattern: '^[0-9a-f]{72}$' }), asset: AssetText, amount: AmountText });

const EnvelopeLink = Type.Object({
  xdr: Type.String({ maxLength: 20_000 }),
  networkPassphrase: Type.Union([Type.Null(), Text]),
  replace: Type.Array(Text, { maxItems: 110 }),
});

/** The bodies that the wallet's page sends. */
export const bodies = {
  lumens: Type.Object({ from: Text }),
  ways: Type.Object({ from: Text, wish: Wish, network: Type.Union([Type.Null(), Text]) }),
  draft: Type.Union([
    Type.Object({ kind: Type.Literal('payment'), from: Text, wish: Wish, way: Way }),
    Type.Object({ kind: Type.Literal('add_asset'), from: Text, asset: AssetText }),
    Type.Object({ kind: Type.Literal('test_money'), from: Text, asset: AssetText }),
    Type.Object({ kind: Type.Literal('claim'), from: Text, claim: SetAside }),
    Type.Object({ kind: Type.Literal('envelope'), from: Text, link: EnvelopeLink }),
  ]),
  submission: Type.Object({ from: Text, envelopeXdr: Type.String({ maxLength: 20_000 }), signature: Text }),
} as const;

/** The request's body, which must be of that shape and come from a real account. Throws WalletError. */
export async function readBody<T extends TSchema>(request: Request, schema: T): Promise<Static<T>> {
  const body: unknown = await jsonBody(request);
  if (!Check(schema, body)) throw new WalletError('unreadable', 'The wallet’s server did not understand that.');
  const from: unknown = Reflect.get(body as object, 'from');
  if (typeof from !== 'string' || !from.startsWith('G') || !isStellarAddress(from)) {
    throw new WalletError('unreadable', 'That is no account of this network.');
  }
  return body as Static<T>;
}
