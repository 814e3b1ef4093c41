/**
 * `pay-checkout/proxy`: passes calls of a shop's pages to the payment service, on the shop's own server.
 * @module
 */
export type { Fetch } from '../api/client/transport.ts';
export type * from '../api/objects.ts';
export { type NodeHandler, toNodeHandler } from './node-handler.ts';
export { type Operation, operations } from './operation.ts';
export { createPayProxy, type PayProxy } from './pay-proxy.ts';
export type { Decision, Grant, PayProxyOptions, Target } from './proxy-options.ts';
