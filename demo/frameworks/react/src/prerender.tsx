import { readFileSync, writeFileSync } from 'node:fs';
import { renderToString } from 'react-dom/server';
import { Page } from './checkout-tag.tsx';

/** Writes the page's markup into the built page, as a static site generator does. */
const file = 'dist/prerendered.html';
const page = readFileSync(file, 'utf8');
writeFileSync(file, page.replace('<div id="root">', `$&${renderToString(<Page />)}`));
