import type { OperationBodyWire, OperationResultTrWire, OperationResultWire } from '@stellar/stellar-sdk/xdr';
import type { OperationPosition } from '../state/identifiers.ts';
import type { LedgerState } from '../state/ledger-state.ts';
import type { ReserveFault } from '../state/reserves.ts';

/** Which of an account’s thresholds an operation needs. */
type ThresholdLevel = 'low' | 'medium' | 'high';

/** Where an operation is applied. */
export interface OperationScope extends OperationPosition {
  readonly state: LedgerState;
  /** The account that the operation acts for. */
  readonly source: string;
}

/** A result that stands outside the operation’s own codes. */
export interface Refusal {
  readonly refused: -3 | -4 | -5 | -6;
}

/** The operation is not known or not supported. */
export const notSupported: Refusal = { refused: -3 };
/** More than 1,000 offers would have to be taken. */
export const exceededWorkLimit: Refusal = { refused: -5 };

const refusals = { too_many_subentries: -4, too_many_sponsoring: -6 } as const;

/** The result for a reserve that cannot be paid: the operation’s own code, or one all operations share. */
export function reserveRefusal<R>(fault: ReserveFault, lowReserve: R): R | Refusal {
  return fault === 'low_reserve' ? lowReserve : { refused: refusals[fault] };
}

type BodyOf<T extends OperationBodyWire['type']> = Extract<OperationBodyWire, { type: T }>;

/** The rules of one kind of operation; `Result` is its own result union. */
interface OperationDefinition<T extends OperationBodyWire['type'], Result extends { code: number }> {
  readonly threshold: ThresholdLevel | ((body: BodyOf<T>) => ThresholdLevel);
  /** The result that says nothing yet: what stellar-core reports of operations it did not come to. */
  readonly blank: Result;
  /** False where the protocol has given the operation up. */
  readonly supported?: false;
  /** Wraps the own result in the union of all operations’ results. */
  readonly wrap: (result: Result) => OperationResultTrWire;
  /** What is wrong with it whatever the ledger holds. */
  readonly check?: (body: BodyOf<T>, source: string) => Result | null;
  readonly apply: (body: BodyOf<T>, scope: OperationScope) => Result | Refusal;
}

/** An outcome as it goes into the transaction’s result. */
interface OperationOutcome {
  readonly successful: boolean;
  readonly result: OperationResultWire;
}

/** The rules of one kind of operation, whatever its kind. */
export interface OperationRules {
  threshold(body: OperationBodyWire): ThresholdLevel;
  readonly blank: OperationResultWire;
  readonly supported: boolean;
  check(body: OperationBodyWire, source: string): OperationResultWire | null;
  apply(body: OperationBodyWire, scope: OperationScope): OperationOutcome;
}

/** Makes rules that can stand in a table by the operation’s type. */
export function defineOperation<T extends OperationBodyWire['type'], Result extends { code: number }>(
  type: T,
  { threshold, blank, supported, wrap, check, apply }: OperationDefinition<T, Result>,
): OperationRules {
  const own = (body: OperationBodyWire): BodyOf<T> => {
    if (body.type !== type) throw new TypeError(`operation ${body.type} under the rules of ${type}`);
    return body as BodyOf<T>;
  };
  const told = (result: Result): OperationResultWire => ({ code: 0, tr: wrap(result) });
  return {
    threshold: body => (typeof threshold === 'function' ? threshold(own(body)) : threshold),
    blank: told(blank),
    supported: supported !== false,
    check: (body, source) => {
      const fault = check?.(own(body), source) ?? null;
      return fault && told(fault);
    },
    apply: (body, scope) => {
      const result = apply(own(body), scope);
      if ('refused' in result) return { successful: false, result: { code: result.refused } };
      return { successful: result.code === 0, result: told(result) };
    },
  };
}
