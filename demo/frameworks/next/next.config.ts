import { join } from 'node:path';
import type { NextConfig } from 'next';

const config: NextConfig = {
  output: 'export',
  trailingSlash: true,
  // The packages that `pay-checkout` needs lie in the root of this repository.
  turbopack: { root: join(import.meta.dirname, '../../..') },
  // The test checks types itself.
  typescript: { ignoreBuildErrors: true },
};

export default config;
