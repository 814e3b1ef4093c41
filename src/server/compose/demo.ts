import { mountDemoShop, shopWebhookUrl } from '../../../demo/mount.ts';
import { defineModule } from '../platform/module.ts';
import type { TestKeys } from '../platform/pages/welcome.ts';
import type { Config } from '../settings/config.ts';

interface Deps {
  readonly config: Pick<Config, 'demo' | 'network'>;
  readonly browserDir: string | null;
  readonly publicUrl: () => string;
  readonly testKeys: () => Promise<TestKeys>;
}

/** The demo shop: a merchant's site that uses only the public API. */
export const demo = defineModule<Deps>({
  name: 'demo',
  pages: (app, deps) => {
    if (showsDemo(deps)) mountDemoShop(app, deps);
  },
});

/** Whether the demo shop is part of the site. */
export function showsDemo({ config, browserDir }: Pick<Deps, 'config' | 'browserDir'>): boolean {
  return config.demo && config.network !== 'public' && browserDir !== null;
}

/** The demo shop's webhook URL, which test mode may call even on this machine. Null without the shop. */
export function demoWebhookUrl(deps: Deps): string | null {
  return showsDemo(deps) ? shopWebhookUrl(deps.publicUrl()) : null;
}
