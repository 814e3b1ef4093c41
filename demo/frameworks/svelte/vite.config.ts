import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [svelte()],
  build: { rolldownOptions: { input: ['index.html', 'lower-case.html'] } },
});
