import type { CryptoTransfer } from '../../api/crypto.ts';

/**
 * A wallet in the payer's browser. It has the keys and asks the payer to approve each use. A call may take as long as
 * the payer needs.
 */
export interface Wallet {
  /** Display name, for example `Freighter`. */
  readonly name: string;
  /** Page where the payer can install the wallet. */
  readonly home: string;
  /** Whether the wallet is installed in this browser. */
  detect(): Promise<boolean>;
  /** Asks the payer for access. Resolves with the account's address (G…). Throws `WalletProblem`. */
  connect(): Promise<string>;
  /** The wallet's current network. Throws `WalletProblem`. */
  network(): Promise<WalletNetwork>;
  /** Asks the payer to sign. Resolves with the signed envelope (base64 XDR). Throws `WalletProblem`. */
  sign(envelopeXdr: string, signer: WalletSigner): Promise<string>;
}

/** A Stellar network. The passphrase identifies it. The wallet chooses the name. */
export interface WalletNetwork {
  readonly name: string;
  readonly passphrase: string;
}

/** The signing account, and the network of the transaction. */
export interface WalletSigner {
  readonly address: string;
  readonly networkPassphrase: string;
}

/** The payer rejected the request, or the wallet failed. */
export class WalletProblem extends Error {
  readonly code: 'rejected' | 'failed';

  constructor(code: 'rejected' | 'failed', message: string) {
    super(message);
    this.code = code;
  }
}

/** The wallet's part of the crypto tab. */
export interface WalletPanel {
  /** Begins by looking for the wallet. */
  open(): Promise<void>;
  /** Whether the panel pays this transfer, or has a payment in progress that cannot be stopped. */
  serves(transfer: CryptoTransfer): boolean;
  /** Whether the panel replaces the QR code and the address. */
  isInFront(): boolean;
  /** Whether the panel is waiting for the wallet or the service. */
  isBusy(): boolean;
  /** Whether the wallet or the network may already have the payment. */
  isCommitted(): boolean;
  render(): unknown;
  /** Label of the main button. */
  action(): string;
  /** Called by the main button. */
  press(): Promise<void>;
  /** The content below the main button. Undefined if the tab shall show its own content. */
  below(): unknown;
  /** Leaves the flow, and ignores later answers of the wallet or the service. Has no effect in the step `unsure`. */
  close(): void;
}
