import type { CreateAccountResultWire } from '@stellar/stellar-sdk/xdr';
import { accountOf } from '../account-key.ts';
import { native } from '../ledger-asset.ts';
import { newAccount } from '../new-account.ts';
import { defineOperation, reserveRefusal } from '../operation-rules.ts';
import { reserveAccount } from '../sponsorship.ts';
import { debit } from './transfer.ts';

const success: CreateAccountResultWire = { code: 0 };
const malformed: CreateAccountResultWire = { code: -1 };
const underfunded: CreateAccountResultWire = { code: -2 };
const lowReserve: CreateAccountResultWire = { code: -3 };
const alreadyExists: CreateAccountResultWire = { code: -4 };

/** Brings an account into being with a first balance. */
export const createAccount = defineOperation<0, CreateAccountResultWire>(0, {
  threshold: 'medium',
  blank: success,
  wrap: createAccountResult => ({ type: 0, createAccountResult }),
  check: ({ createAccountOp: { startingBalance, destination } }, source) =>
    startingBalance < 0n || accountOf(destination) === source ? malformed : null,
  apply: ({ createAccountOp: { startingBalance, ...op } }, { state, source }) => {
    const destination = accountOf(op.destination);
    if (state.accounts.get(destination)) return alreadyExists;
    const reserved = reserveAccount(state, destination, startingBalance);
    if (reserved.fault) return reserveRefusal(reserved.fault, lowReserve);
    if (debit(state, source, native, startingBalance)) return underfunded;
    state.accounts.set(destination, newAccount(destination, startingBalance, state.header.sequence, reserved.sponsor));
    return success;
  },
});
