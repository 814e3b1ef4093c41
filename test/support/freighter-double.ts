import type { Page } from 'playwright';

/**
 * A double of the Freighter extension. It speaks the protocol between a page and the extension's content script
 * (window messages `FREIGHTER_EXTERNAL_MSG_REQUEST` and `…_RESPONSE`, answered as by its background's
 * `freighterApiMessageListener`), so that the real `@stellar/freighter-api` runs against it. What a person would press
 * in Freighter's windows is set beforehand. Signing is somebody else's: a function of the page, which in a journey is a
 * function of Node with the real SDK.
 */
export interface FreighterSettings {
  /** The account that is chosen in Freighter. */
  address: string;
  /** The network it is set to, as Freighter names it: `TESTNET`, `PUBLIC`, `STANDALONE` … */
  network: string;
  networkPassphrase: string;
  /** Whether the page has been let see the account before. */
  isAllowed: boolean;
  /** What the person does in the window that asks for access. `ignore` leaves it open. */
  access: 'grant' | 'reject' | 'ignore';
  /** What the person does in the window that asks for a signature. */
  signing: 'sign' | 'reject' | 'ignore';
}

/** A request as the extension got it. */
export interface FreighterRequest {
  readonly type: string;
  readonly transactionXdr?: string;
  readonly networkPassphrase?: string;
  readonly accountToSign?: string;
}

/** What the double in a page can be asked and told while it runs: `window.freighterDouble`. */
export interface FreighterDouble {
  readonly settings: FreighterSettings;
  readonly requests: readonly FreighterRequest[];
  /** Takes the extension out of the page. */
  remove(): void;
}

/** Signs an envelope (base64 XDR) for the account; `window.freighterDoubleSign`. */
export type FreighterSign = (
  envelopeXdr: string,
  signer: { readonly address: string; readonly networkPassphrase: string },
) => string | Promise<string>;

declare global {
  interface Window {
    freighterDouble?: FreighterDouble;
    freighterDoubleSign?: FreighterSign;
  }
}

/** Puts the double into this page. It stands alone, so that Playwright can carry it over as text. */
export function installFreighterDouble(settings: FreighterSettings): FreighterDouble {
  const declined = { apiError: { code: -4, message: 'The user rejected this request.' } };
  const internal = { apiError: { code: -1, message: 'The wallet encountered an internal error.' } };
  const never = new Promise<never>(() => undefined);
  const requests: FreighterRequest[] = [];

  async function grant(): Promise<object> {
    if (!settings.isAllowed && settings.access === 'ignore') await never;
    if (!settings.isAllowed && settings.access === 'reject') return declined;
    settings.isAllowed = true;
    return { publicKey: settings.address };
  }

  async function sign({
    transactionXdr = '',
    networkPassphrase = '',
    accountToSign,
  }: FreighterRequest): Promise<object> {
    if (settings.signing === 'ignore') await never;
    if (settings.signing === 'reject') return declined;
    const address = accountToSign ?? settings.address;
    try {
      const signedTransaction = await window.freighterDoubleSign?.(transactionXdr, { address, networkPassphrase });
      return signedTransaction ? { signedTransaction, signerAddress: address } : internal;
    } catch {
      return internal;
    }
  }

  const answers: Record<string, (request: FreighterRequest) => object | Promise<object>> = {
    REQUEST_CONNECTION_STATUS: () => ({ isConnected: true }),
    REQUEST_NETWORK: () => ({ network: settings.network }),
    REQUEST_NETWORK_DETAILS: () => ({
      networkDetails: {
        network: settings.network,
        networkName: settings.network,
        networkUrl: '',
        networkPassphrase: settings.networkPassphrase,
      },
    }),
    REQUEST_ACCESS: grant,
    REQUEST_PUBLIC_KEY: () => ({ publicKey: settings.isAllowed ? settings.address : '' }),
    REQUEST_ALLOWED_STATUS: () => ({ isAllowed: settings.isAllowed }),
    SET_ALLOWED_STATUS: async () => ({ isAllowed: 'publicKey' in (await grant()) }),
    SUBMIT_TRANSACTION: sign,
  };

  async function hear({ source, data, origin }: MessageEvent): Promise<void> {
    if (source !== window || data?.source !== 'FREIGHTER_EXTERNAL_MSG_REQUEST') return;
    const { messageId, source: _, ...request } = data;
    requests.push(request);
    const answer = await (answers[request.type] ?? (() => internal))(request);
    window.postMessage({ source: 'FREIGHTER_EXTERNAL_MSG_RESPONSE', messagedId: messageId, ...answer }, origin);
  }

  window.addEventListener('message', hear);
  const double = { settings, requests, remove: () => window.removeEventListener('message', hear) };
  window.freighterDouble = double;
  return double;
}

/** Gives every document of a Playwright page the extension; `sign` runs in Node. */
export async function giveFreighter(page: Page, settings: FreighterSettings, sign: FreighterSign): Promise<void> {
  await page.exposeFunction('freighterDoubleSign', sign);
  await page.addInitScript(installFreighterDouble, settings);
}
