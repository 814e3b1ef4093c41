import type { Tx } from './db/database.ts';
import type { MerchantScope } from './merchant.ts';

/** The customer whose personal data is erased. The transaction holds the lock of the customer's row. */
export interface LeavingCustomer extends MerchantScope {
  readonly customerId: string;
  readonly email: string;
}

/** A kind of record that the law requires, and how many of them are kept. */
export interface KeptRecords {
  readonly object: 'invoice' | 'credit_note' | 'bank_file';
  readonly count: number;
}

/** How a module erases the personal data of a customer. */
export interface Erasure {
  /** What of the customer is still open, such as `payment pay_… is pending`. The erasure is then refused. */
  readonly openWork?: (tx: Tx, customer: LeavingCustomer) => Promise<readonly string[]>;
  /** Ids of the customer's objects. `known`: ids from modules before this one in the list of modules. */
  readonly objectsOf?: (tx: Tx, customer: LeavingCustomer, known: readonly string[]) => Promise<readonly string[]>;
  /** Removes personal data from the module's tables. `ids`: the customer's objects of all modules. */
  readonly erase?: (tx: Tx, customer: LeavingCustomer, ids: readonly string[]) => Promise<void>;
  /** Legal records that keep personal data. */
  readonly kept?: (tx: Tx, customer: LeavingCustomer, ids: readonly string[]) => Promise<readonly KeptRecords[]>;
}

/** The address of a payment whose customer was erased. The domain cannot exist (RFC 2606). */
export const erasedEmail = 'erased@customer.invalid';
