import type { Clock } from '../../core/clock.ts';
import { publicPassphrase, testPassphrase } from '../../core/stellar/stellar-network.ts';
import type { Db } from '../platform/db/database.ts';
import { createHttpExchange } from '../platform/http-exchange.ts';
import type { Log } from '../platform/jobs/sweeper.ts';
import type { Secrets } from '../platform/secrets.ts';
import { createReadings } from '../rates/rate-readings.store.ts';
import { createSpotPrice } from '../rates/spot-price.ts';
import { createEcbRates, createStellarRates } from '../rates/stellar-rates.ts';
import { liveCaps, type NetworkConfig, networkSettings, publicSpotUrl } from '../settings/network-settings.ts';
import type { HorizonTarget } from '../stellar/horizon/horizon-client.ts';
import { createFriendbot, createHorizonNetwork } from '../stellar/horizon/horizon-network.ts';
import { type KnownAssets, knownAssets, knownAssetTexts, type StellarNetworkId } from '../stellar/known-assets.ts';
import { createRpcBackedNetwork } from '../stellar/rpc/rpc-backed-network.ts';
import { createSep7Links, originDomainOf } from '../stellar/sep7.ts';
import { createSigner } from '../stellar/signing/signer.ts';
import { parseCaps, type SpendingCaps } from '../stellar/signing/signing-rules.ts';
import { createSpendBook } from '../stellar/signing/spend.store.ts';
import { bytesSigner, localKey, remoteKey, type SigningKey, seedOf } from '../stellar/transaction/signing-key.ts';

interface StellarDeps {
  readonly config: NetworkConfig;
  readonly db: Db;
  readonly secrets: Pick<Secrets, 'stellarSeed'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  /** The service's base URL for payers' browsers. */
  readonly publicUrl: () => string;
  /** The sandbox network's known assets, and the URL of its Horizon. The URL is valid once this server listens. */
  readonly sandbox: { readonly horizonUrl: () => string; readonly knownAssets: KnownAssets };
}

/** The service's connection to a Stellar network. */
export type Stellar = ReturnType<typeof createStellar>;

const publicHorizons: Readonly<Record<Exclude<StellarNetworkId, 'sandbox'>, string>> = {
  testnet: 'https://horizon-testnet.stellar.org',
  public: 'https://horizon.stellar.org',
};

/** The public networks close a ledger every five seconds, and their servers limit requests. */
const publicPollMs = 2_000;
const sandboxPollMs = 250;

/** Connects to the Stellar network that the settings name. */
export function createStellar(deps: StellarDeps) {
  const { config, secrets, clock } = deps;
  const passphrase = config.network === 'public' ? publicPassphrase : testPassphrase;
  const known = config.network === 'sandbox' ? deps.sandbox.knownAssets : knownAssets[config.network];
  const assets = knownAssetTexts(known);
  const http = createHttpExchange();
  const horizon = horizonOf(deps, passphrase, http);
  const viaHorizon = createHorizonNetwork(horizon);
  const { stellarRpcUrl: url } = config;
  const network = url === null ? viaHorizon : createRpcBackedNetwork(viaHorizon, { ...horizon, url });
  const uriSigner = bytesSigner(secrets.stellarSeed('uri request'));
  const ecb = createEcbRates({ url: config.ecbUrl, http, clock });
  const spotUrl = config.xlmPriceUrl ?? (config.network === 'public' ? publicSpotUrl : null);
  const spot = createSpotPrice({ url: spotUrl, http, clock, log: deps.log });
  return {
    network,
    signer: treasurySigner(deps, { passphrase, http, known }),
    links: {
      ...createSep7Links({ passphrase, originDomain: () => originDomainOf(deps.publicUrl()), signer: uriSigner }),
      transactionUrl: (hash: string): string | null => `${explorerOf(deps)}${hash}`,
    },
    /** Wallets use this key to check signed SEP-7 links (`URI_REQUEST_SIGNING_KEY`). */
    uriSigningKey: uriSigner.address,
    knownAssets: known,
    /** The wire texts of the assets that the treasury accepts and holds. */
    assets,
    /** Highest fee per operation, in stroops. */
    feeCap: BigInt(config.feeCap),
    resumeCode: config.treasuryResume,
    /** Null on the sandbox network, where the sandbox market sets the rates. */
    rateSource:
      config.network === 'sandbox'
        ? null
        : createStellarRates({
            market: network,
            ecb,
            spot,
            clock,
            knownAssets: known,
            readings: createReadings(deps.db, clock),
          }),
    friendbot: config.network === 'testnet' ? createFriendbot(horizon) : null,
    livemode: config.network === 'public',
    /** Milliseconds between two queries for a transaction that is not yet in a ledger. */
    pollMs: config.network === 'sandbox' ? sandboxPollMs : publicPollMs,
    close: () => http.close(),
  };
}

/** The signer of the treasury, with the limits of the settings. */
function treasurySigner(
  deps: StellarDeps,
  { passphrase, http, known }: { readonly passphrase: string; readonly http: Http; readonly known: KnownAssets },
) {
  const { config, secrets } = deps;
  return createSigner({
    passphrase,
    secrets,
    treasury: treasuryKey(deps, http),
    heldAssets: knownAssetTexts(known),
    spendBook: createSpendBook(deps.db, deps.clock),
    transactionCaps: capsOf(config, 'transaction', known),
    dayCaps: capsOf(config, 'day', known),
    feeCap: BigInt(config.feeCap),
  });
}

/** Base URL of the pages about transactions: a block explorer, or Horizon on the sandbox network. */
function explorerOf({ config: { network }, publicUrl }: StellarDeps): string {
  if (network === 'sandbox') return `${publicUrl()}/sandbox/horizon/transactions/`;
  return `https://stellar.expert/explorer/${network}/tx/`;
}

type Http = ReturnType<typeof createHttpExchange>;

/** The Horizon URL of the settings; by default, a public one. Null: the service's own sandbox network. */
export function horizonUrlOf({ horizonUrl, network }: NetworkConfig): string | null {
  return horizonUrl ?? (network === 'sandbox' ? null : publicHorizons[network]);
}

function horizonOf({ config, sandbox }: StellarDeps, passphrase: string, http: Http): HorizonTarget {
  const url = () => horizonUrlOf(config) ?? sandbox.horizonUrl();
  return { url, passphrase, http };
}

/** The treasury's key: in a signing service, or from a setting. Without settings, test networks use a derived key. */
function treasuryKey({ config, secrets }: StellarDeps, http: Http): SigningKey {
  const { network, treasurySecret, treasuryKmsUrl, treasuryAddress, treasuryKmsAuthorization } = config;
  if (treasuryKmsUrl !== null && treasuryAddress !== null) {
    const authorization = treasuryKmsAuthorization?.reveal() ?? null;
    return remoteKey({ url: treasuryKmsUrl, address: treasuryAddress, authorization, http });
  }
  const seed = treasurySecret === null ? null : seedOf(treasurySecret.reveal());
  if (seed !== null) return localKey(seed);
  // The settings were checked at startup. This second check protects real money.
  if (network === 'public')
    throw new Error('PAY_TREASURY_SECRET: on the public network the operator must provide the treasury’s key');
  return localKey(secrets.stellarSeed('treasury'));
}

function capsOf(config: NetworkConfig, which: 'transaction' | 'day', known: KnownAssets): SpendingCaps {
  const text = which === 'transaction' ? config.transactionCaps : config.dayCaps;
  if (text === 'none') return null;
  try {
    return parseCaps(text === '' && config.network === 'public' ? liveCaps[which] : text, known);
  } catch (error) {
    const { name } = which === 'transaction' ? networkSettings.transactionCaps : networkSettings.dayCaps;
    throw new Error(`${name}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}
