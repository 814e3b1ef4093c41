import type { OperationBodyWire, OperationResultTrWire, OperationResultWire } from '@stellar/stellar-sdk/xdr';
import type { OperationPosition } from '../state/identifiers.ts';
import type { LedgerState } from '../state/ledger-state.ts';
import type { ReserveFault } from '../state/reserves.ts';

/** The account threshold that an operation’s signatures must reach. */
type ThresholdLevel = 'low' | 'medium' | 'high';

/**
 * Amounts that an operation moved into or out of a pool, or out of a claimable balance. Neither the transaction’s
 * envelope nor its result contains these amounts.
 */
export interface Movement {
  readonly assets: readonly { readonly asset: string; readonly amount: bigint }[];
  /** Pool shares received or returned. Null for claimable balances. */
  readonly shares: bigint | null;
}

/** The context in which an operation is applied. */
export interface OperationScope extends OperationPosition {
  readonly state: LedgerState;
  /** The operation’s source account. */
  readonly source: string;
  readonly reportMovement: (movement: Movement) => void;
}

/** A result that is not one of the operation’s own codes. */
export interface Refusal {
  readonly refused: -3 | -4 | -5 | -6;
}

/** The protocol does not support the operation. */
export const notSupported: Refusal = { refused: -3 };

/** The operation would trade with more than `maxOffers` offers. */
export const exceededWorkLimit: Refusal = { refused: -5 };

const refusals = { too_many_subentries: -4, too_many_sponsoring: -6 } as const;

/** The result if a reserve cannot be taken: the operation’s own `lowReserve`, or a shared code. */
export function reserveRefusal<R>(fault: ReserveFault, lowReserve: R): R | Refusal {
  return fault === 'low_reserve' ? lowReserve : { refused: refusals[fault] };
}

type BodyOf<T extends OperationBodyWire['type']> = Extract<OperationBodyWire, { type: T }>;

/** One type of operation; `Result` is the result union of that type. */
interface OperationDefinition<T extends OperationBodyWire['type'], Result extends { code: number }> {
  /** Default: medium. */
  readonly threshold?: ThresholdLevel | ((body: BodyOf<T>) => ThresholdLevel);
  /** The result of an operation that was not applied. Default: `{ code: 0 }`. */
  readonly blank?: Result;
  /** False for operations that the protocol no longer supports. */
  readonly supported?: false;
  /** Wraps the result in the union of all operations’ results. */
  readonly wrap: (result: Result) => OperationResultTrWire;
  /** Checks that do not depend on the ledger (stellar-core’s `doCheckValid`). */
  readonly check?: (body: BodyOf<T>, source: string) => Result | null;
  readonly apply: (body: BodyOf<T>, scope: OperationScope) => Result | Refusal;
}

/** The rules of one type of operation, in the same form for all types. */
export interface OperationRules {
  threshold(body: OperationBodyWire): ThresholdLevel;
  readonly blank: OperationResultWire;
  readonly supported: boolean;
  check(body: OperationBodyWire, source: string): OperationResultWire | null;
  apply(
    body: OperationBodyWire,
    scope: OperationScope,
  ): { readonly successful: boolean; readonly result: OperationResultWire };
}

/** Creates the rules of a type of operation from its definition. */
export function defineOperation<T extends OperationBodyWire['type'], Result extends { code: number }>(
  type: T,
  definition: OperationDefinition<T, Result>,
): OperationRules {
  const { threshold = 'medium', blank = { code: 0 } as Result, supported, wrap, check, apply } = definition;
  const own = (body: OperationBodyWire): BodyOf<T> => {
    if (body.type !== type) throw new TypeError(`operation ${body.type} under the rules of ${type}`);
    return body as BodyOf<T>;
  };
  const wrapped = (result: Result): OperationResultWire => ({ code: 0, tr: wrap(result) });
  return {
    threshold: body => (typeof threshold === 'function' ? threshold(own(body)) : threshold),
    blank: wrapped(blank),
    supported: supported !== false,
    check: (body, source) => {
      const fault = check?.(own(body), source) ?? null;
      return fault && wrapped(fault);
    },
    apply: (body, scope) => {
      const result = apply(own(body), scope);
      if ('refused' in result) return { successful: false, result: { code: result.refused } };
      return { successful: result.code === 0, result: wrapped(result) };
    },
  };
}
