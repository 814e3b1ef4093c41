/**
 * `pay-checkout/proxy`: a shop's own server between its pages and the payment service.
 * @module
 */
export type { Fetch } from '../api/client/transport.ts';
export type * from '../api/objects.ts';
export { type NodeHandler, toNodeHandler } from './node-handler.ts';
export { type Operation, operations } from './operation.ts';
export { createPayProxy, type PayProxy } from './pay-proxy.ts';
export type { Decision, Grant, PayProxyOptions, Target } from './proxy-options.ts';
