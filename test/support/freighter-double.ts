import type { Page } from 'playwright';

/**
 * A double of the Freighter extension, for the real `@stellar/freighter-api`. It answers the window messages between a
 * page and the extension's content script: `FREIGHTER_EXTERNAL_MSG_REQUEST` and `…_RESPONSE`. The owner's choices in
 * Freighter's windows are set beforehand. A function of the page signs; in end-to-end tests it calls Node with the real
 * SDK.
 */
export interface FreighterSettings {
  /** The account that the owner chose in Freighter. */
  address: string;
  /** The chosen network, by Freighter's name: `TESTNET`, `PUBLIC`, `STANDALONE` … */
  network: string;
  networkPassphrase: string;
  /** Whether the page already has access to the account. */
  isAllowed: boolean;
  /** The owner's choice in the window that asks for access. `ignore` leaves the window open. */
  access: 'grant' | 'reject' | 'ignore';
  /** The owner's choice in the window that asks for a signature. */
  signing: 'sign' | 'reject' | 'ignore';
}

export interface FreighterRequest {
  readonly type: string;
  readonly transactionXdr?: string;
  readonly networkPassphrase?: string;
  readonly accountToSign?: string;
}

/** The controls of the double in a page: `window.freighterDouble`. */
export interface FreighterDouble {
  readonly settings: FreighterSettings;
  readonly requests: readonly FreighterRequest[];
  remove(): void;
}

/** Signs an envelope (base64 XDR) for the account. In the page it is `window.freighterDoubleSign`. */
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

/** Installs the double in this page. The function uses no outer variables, so that Playwright can send it as text. */
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

/** Installs the extension in every document of a Playwright page. `sign` runs in Node. */
export async function giveFreighter(page: Page, settings: FreighterSettings, sign: FreighterSign): Promise<void> {
  await page.exposeFunction('freighterDoubleSign', sign);
  await page.addInitScript(installFreighterDouble, settings);
}
