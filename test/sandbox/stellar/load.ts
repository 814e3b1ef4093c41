// The parts of the sandbox network that benchmarks use.
export { createSandboxNetwork, type SandboxNetwork } from '../../../src/sandbox/stellar/sandbox-network.ts';
export { type SandboxKey, sandboxKey } from '../../../src/sandbox/stellar/seeded/accounts.ts';
export {
  createAccount,
  operation,
  payment,
  signedEnvelope,
} from '../../../src/sandbox/stellar/seeded/transaction-builder.ts';
export { stellarDb } from '../../../src/sandbox/stellar/tables.ts';
