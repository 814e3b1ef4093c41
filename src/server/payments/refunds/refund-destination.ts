import { PayError } from '../../../core/error.ts';
import type { Chain } from '../../chains/chain.ts';

type Destination = Readonly<Record<string, string>>;

const fields = ['address', 'memo', 'memo_type'];
const largestId = 2n ** 64n - 1n;
const digest = { takes: '64 hexadecimal digits', fits: (memo: string) => /^[0-9a-f]{64}$/i.test(memo) };

/** The types of memos and their values. */
const memos: Readonly<Record<string, { readonly takes: string; readonly fits: (memo: string) => boolean }>> = {
  text: {
    takes: 'up to 28 bytes, none of them NUL',
    fits: memo => Buffer.byteLength(memo) <= 28 && !memo.includes('\0'),
  },
  id: {
    takes: 'a number below 2^64',
    fits: memo => /^(0|[1-9][0-9]{0,19})$/.test(memo) && BigInt(memo) <= largestId,
  },
  hash: digest,
  return: digest,
};

/** Checks a destination on a chain. Throws `invalid_address` or `parameter_invalid`, with the field under `param`. */
export function assertDestination(chain: Chain, destination: Destination, param: string): void {
  const { address, memo, memo_type: type } = destination;
  const unknown = Object.keys(destination).find(name => !fields.includes(name));
  if (unknown !== undefined)
    throw wrong(`${param}.${unknown}`, `A destination on ${chain.name} has ${fields.join(', ')}.`);
  if (address === undefined || !chain.isAddress(address)) {
    throw new PayError('invalid_address', `This is no address on ${chain.name}.`, { param: `${param}.address` });
  }
  if ((memo === undefined) !== (type === undefined)) {
    throw wrong(`${param}.memo`, 'memo and memo_type go together.');
  }
  if (memo === undefined || type === undefined) return;
  const kind = Object.hasOwn(memos, type) ? memos[type] : undefined;
  if (kind === undefined) throw wrong(`${param}.memo_type`, `memo_type takes ${Object.keys(memos).join(', ')}.`);
  if (!kind.fits(memo)) throw wrong(`${param}.memo`, `A memo of type ${type} takes ${kind.takes}.`);
}

function wrong(param: string, message: string): PayError {
  return new PayError('parameter_invalid', message, { param });
}
