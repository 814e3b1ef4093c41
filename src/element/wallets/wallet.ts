import type { CryptoTransfer } from '../../api/crypto.ts';

/**
 * The contract of a wallet that lives in the payer's browser. It holds the keys and asks the payer; it is told what to
 * sign and by whom, never what for. Every call may take as long as the payer takes.
 */
export interface Wallet {
  /** Its name for people: `Freighter`. */
  readonly name: string;
  /** Where to get it. */
  readonly home: string;
  /** Whether it is in this browser. */
  detect(): Promise<boolean>;
  /** Asks the payer to show this page their account; resolves with its address (G…). Throws `WalletProblem`. */
  connect(): Promise<string>;
  /** The network that the wallet is set to. Throws `WalletProblem`. */
  network(): Promise<WalletNetwork>;
  /** Asks the payer to sign; resolves with the signed envelope (base64 XDR). Throws `WalletProblem`. */
  sign(envelopeXdr: string, signer: WalletSigner): Promise<string>;
}

/** A Stellar network as a wallet knows it. The passphrase is what tells networks apart; names are the wallet's own. */
export interface WalletNetwork {
  readonly name: string;
  readonly passphrase: string;
}

/** Who signs, and on which network it is to count. */
export interface WalletSigner {
  readonly address: string;
  readonly networkPassphrase: string;
}

/** Why a wallet did not do what it was asked for: the payer said no, or it could not. */
export class WalletProblem extends Error {
  readonly code: 'rejected' | 'failed';

  constructor(code: 'rejected' | 'failed', message: string) {
    super(message);
    this.code = code;
  }
}

/** Paying with a wallet, as the tab it belongs to sees it. */
export interface WalletPanel {
  /** Begins: looks for the wallet. */
  open(): Promise<void>;
  /** Whether it is at work for this transfer, or has gone too far to stop for another. */
  serves(transfer: CryptoTransfer): boolean;
  /** Whether it needs the place of the code and the address; otherwise it only has something to say above them. */
  isInFront(): boolean;
  /** Whether it waits for the wallet or the service. */
  isBusy(): boolean;
  /** Whether the wallet or the network may have the payment already. */
  isCommitted(): boolean;
  render(): unknown;
  /** The words on the main button. */
  action(): string;
  /** What the main button does. */
  press(): Promise<void>;
  /** What stands below the main button; undefined for what stands there without a wallet. */
  below(): unknown;
  /** Leaves it. What the wallet or the service answers later is not acted upon. */
  close(): void;
}
