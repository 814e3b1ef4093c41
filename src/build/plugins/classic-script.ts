import { createHash } from 'node:crypto';
import { type ESTree, minifySync, type Plugin, parseSync, type Rolldown, Visitor } from 'vite';

/** One replacement in a piece of code. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Names used in all chunks of a build. */
interface Names {
  /** The code of the bundler's helper functions. As a separate file, it would cost each chunk a request. */
  readonly helpers: string;
  /** File name of the core: `pay-checkout.js` in each build. */
  readonly core: string;
  /** The expression for the registry of exports and `payImport`: `globalThis[Symbol.for("pay-checkout/<hash>")]`. */
  readonly registry: string;
  /** The hash of the build, which is part of each chunk's file name. */
  readonly build: string;
}

/**
 * Turns the ES build of the script tag into one classic script (the core) and ES chunks beside it.
 *
 * A classic script cannot export. A chunk that imported the core as a module would load the core and Lit a second time.
 * So the core stores its exports in a registry on `globalThis`, and each chunk reads them from there. The names of the
 * registry and of the chunks contain the hash of the build. Thus an older core never loads a newer chunk. The core
 * loads its chunks from a folder beside its own file.
 *
 * Chromium remembers an address whose module failed to load, also as an import of another module, and never asks for it
 * again. So chunks have no static imports: all chunks are loaded by `payImport`, which changes the address after a failure.
 */
export function classicScript(options: { core: string; folder: string }): Plugin {
  return {
    name: 'classic-script',
    generateBundle(_outputOptions, bundle) {
      const chunks = Object.values(bundle).filter(output => output.type === 'chunk');
      const names = namesOf(chunks, options.core);
      for (const chunk of chunks) {
        delete bundle[chunk.fileName];
        if (chunk.fileName === helperFile) continue;
        const isCore = chunk.fileName === options.core;
        this.emitFile({
          type: 'asset',
          fileName: isCore ? options.core : `${options.folder}/${partOf(chunk.fileName)}-${names.build}.js`,
          source: isCore ? classicCore(chunk.code, names, options.folder) : lazyChunk(chunk.code, names),
        });
      }
    },
  };
}

function namesOf(chunks: readonly Rolldown.OutputChunk[], core: string): Names {
  const hash = createHash('sha256');
  for (const chunk of [...chunks].sort((a, b) => (a.fileName < b.fileName ? -1 : 1))) {
    hash.update(`${chunk.fileName}\n${chunk.code}\n`);
  }
  const build = hash.digest('hex').slice(0, 8);
  return {
    helpers: chunks.find(({ fileName }) => fileName === helperFile)?.code ?? '',
    core,
    registry: `globalThis[Symbol.for("pay-checkout/${build}")]`,
    build,
  };
}

/** The file in which the bundler puts its helper functions. */
const helperFile = 'rolldown-runtime.js';

/** An expression for only those bundler helpers that a chunk imports. */
function helpersFor(imported: ESTree.ImportDeclaration, code: string): string {
  const wanted = imported.specifiers.map(specifier => 'imported' in specifier && nameOf(specifier.imported));
  const edits: Edit[] = [];
  visit(code, {
    ExportNamedDeclaration: node => {
      const specifiers = node.specifiers.filter(({ exported }) => wanted.includes(nameOf(exported)));
      edits.push(replace(node, `return{${registryEntries({ ...node, specifiers })}}`));
    },
  });
  const expression = `x=(()=>{${apply(code, edits).trimEnd()}})()`;
  return minifySync(helperFile, expression, { compress: true, mangle: false })
    .code.slice(2)
    .replace(/;?\s*$/, '');
}

/**
 * The address of the running file. `currentScript` is null if a page loads the file as a module (`<script
 * type="module">`, `import()`). Then the first line of a stack trace names the file. `import.meta` would be a syntax
 * error in a classic script.
 */
const ownAddress = 'document.currentScript?.src||/http.+?(?=:\\d+:\\d)/.exec(Error().stack)';

/** Tells Chromium to compile all functions while it loads the file, not at their first call. */
const compileHint = '//# allFunctionsCalledOnLoad';

/** Loads a chunk once. A failure gives another address to the chunks that are not loaded yet: `?`, `??` … */
const importer = (folder: string, build: string) =>
  `var payAgain="",payParts={},payImport=e=>payParts[e]??=import(new URL(\`${folder}/\${e}-${build}.js\${payAgain}\`,payScript)).catch(t=>{payAgain+="?";payParts[e]=null;throw t});`;

/** The core as a classic script: wrapped in a function, with its exports stored in the registry. */
function classicCore(code: string, names: Names, folder: string): string {
  const edits: Edit[] = [];
  visit(code, {
    ImportDeclaration: node => fail(`the core imports ${node.source.value}: it must stand alone`),
    ExportNamedDeclaration: node =>
      edits.push(replace(node, `${names.registry}??={payImport,${registryEntries(node)}};`)),
    MemberExpression: node => {
      if (node.object.type === 'MetaProperty') edits.push(replace(node, 'payScript'));
    },
    ImportExpression: node => {
      edits.push(replace(node, `payImport(\`${partOf(fileOf(node.source))}\`)`));
    },
  });
  const here = `const payScript=${ownAddress};${importer(folder, names.build)}`;
  return `${compileHint}\n(()=>{"use strict";${here}${apply(code, edits).trimEnd()}})();\n`;
}

/** A chunk that reads the core's exports from the registry, and waits for the chunks that it imports. An ES module. */
function lazyChunk(code: string, names: Names): string {
  const edits: Edit[] = [];
  const parts: { readonly file: string; readonly reads: string }[] = [];
  visit(code, {
    ImportDeclaration: node => {
      const file = fileOf(node.source);
      if (file !== names.core && file !== helperFile) {
        parts.push({ file: partOf(file), reads: registryReads(node) });
        return edits.push(replace(node, ''));
      }
      const from = file === helperFile ? helpersFor(node, names.helpers) : names.registry;
      return edits.push(replace(node, node.specifiers.length === 0 ? '' : `const${registryReads(node)}=${from};`));
    },
    ImportExpression: node => {
      const file = fileOf(node.source);
      if (file === names.core) fail('a chunk loads the core again');
      edits.push(replace(node, `${names.registry}.payImport(${JSON.stringify(partOf(file))})`));
    },
    ExportNamedDeclaration: node => {
      if (node.source) fail('a chunk exports the names of another');
    },
    ExportAllDeclaration: () => fail('a chunk exports all names of another'),
  });
  const files = JSON.stringify(parts.map(({ file }) => file));
  const reads = parts.map(part => part.reads).join();
  const waits = `const[${reads}]=await Promise.all(${files}.map(${names.registry}.payImport));`;
  return (parts.length > 0 ? waits : '') + apply(code, edits);
}

/** `a:x,b:y` for `export{x as a,y as b}`. */
function registryEntries(node: ESTree.ExportNamedDeclaration): string {
  if (node.source || node.declaration) fail('the core exports a name that it does not define');
  return node.specifiers.map(({ local, exported }) => `${nameOf(exported)}:${nameOf(local)}`).join(',');
}

/** `{a:x,b:y}` for `import{a as x,b as y}`. */
function registryReads(node: ESTree.ImportDeclaration): string {
  const reads = node.specifiers.map(specifier => {
    if (specifier.type !== 'ImportSpecifier') return fail('a chunk imports the whole core');
    return `${nameOf(specifier.imported)}:${specifier.local.name}`;
  });
  return `{${reads.join(',')}}`;
}

function nameOf(name: ESTree.ModuleExportName): string {
  return name.type === 'Literal' ? JSON.stringify(name.value) : name.name;
}

/** `card.js` for the literal `"./card.js"`, which the minifier may have turned into a template. */
function fileOf(source: ESTree.Expression): string {
  const text =
    source.type === 'Literal' ? source.value : source.type === 'TemplateLiteral' ? templateText(source) : null;
  return typeof text === 'string' && text.startsWith('./')
    ? text.slice(2)
    : fail(`cannot follow the import of ${text}`);
}

/** `card` for `card.js`: the name by which `payImport` loads the chunk. */
const partOf = (fileName: string) => fileName.replace(/\.js$/, '');

function templateText(source: ESTree.TemplateLiteral): string | null {
  return source.expressions.length === 0 ? (source.quasis[0]?.value.cooked ?? null) : null;
}

/** Comments that the bundler adds for other bundlers. */
const annotations = /\/\* @__PURE__ \*\/ /g;

function visit(code: string, visitor: ConstructorParameters<typeof Visitor>[0]): void {
  new Visitor(visitor).visit(parseSync('chunk.js', code).program);
}

function replace(node: { start: number; end: number }, text: string): Edit {
  return { start: node.start, end: node.end, text };
}

function apply(code: string, edits: readonly Edit[]): string {
  return [...edits]
    .sort((a, b) => b.start - a.start)
    .reduce((text, edit) => text.slice(0, edit.start) + edit.text + text.slice(edit.end), code)
    .replace(annotations, '');
}

function fail(message: string): never {
  throw new Error(`classic script: ${message}`);
}
