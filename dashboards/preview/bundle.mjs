// The page as one file, kept by what it was made from: node bundle.mjs FOLDER prints where it is.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));

// In .mjs importers esbuild follows Node (default is module.exports); Grafana is built for bundlers that unwrap __esModule defaults.
const unwrap = {
  name: 'unwrap',
  setup(building) {
    const again = 'resolved by unwrap';
    const asTheyAre = /node_modules\/(react|react-dom|rxjs|lodash|moment|uplot|@grafana)\//;
    building.onResolve({ filter: /^[^./]/ }, async (asked) => {
      if (asked.pluginData === again || !asked.importer.endsWith('.mjs') || asked.kind !== 'import-statement') return undefined;
      const found = await building.resolve(asked.path, { resolveDir: asked.resolveDir, kind: asked.kind, importer: asked.importer, pluginData: again });
      if (found.errors.length || /\.mjs$/.test(found.path) || !/node_modules/.test(found.path) || asTheyAre.test(found.path)) return found;
      return /__esModule/.test(readFileSync(found.path, 'utf8')) ? { path: found.path, namespace: 'unwrap' } : found;
    });
    building.onLoad({ filter: /.*/, namespace: 'unwrap' }, ({ path }) => ({
      contents: `
        const whole = require(${JSON.stringify(path)});
        const inner = whole.default;
        if (inner !== undefined && (typeof inner === 'function' || typeof inner === 'object')) {
          for (const key of Object.keys(whole)) {
            if (key !== 'default' && !(key in inner)) try { Object.defineProperty(inner, key, { value: whole[key] }); } catch {}
          }
          module.exports = inner;
        } else module.exports = whole;`,
      resolveDir: dirname(path),
      loader: 'js',
    }));
  },
};

function key() {
  const hash = createHash('sha256');
  for (const file of ['package-lock.json', 'bundle.mjs', ...readdirSync(join(here, 'src')).sort().map((name) => join('src', name))]) {
    hash.update(readFileSync(join(here, file)));
  }
  return hash.digest('hex').slice(0, 16);
}

/** The folder with page.js and page.css; made in `cache` unless it is there. */
export async function bundled(cache) {
  const folder = join(cache, key());
  if (!existsSync(join(folder, 'page.js'))) {
    mkdirSync(folder, { recursive: true });
    await build({
      entryPoints: [join(here, 'src', 'page.tsx')],
      bundle: true,
      outfile: join(folder, 'page.js'),
      loader: { '.svg': 'dataurl', '.woff2': 'dataurl', '.woff': 'dataurl', '.ttf': 'dataurl', '.png': 'dataurl' },
      define: { 'process.env.NODE_ENV': '"production"' },
      plugins: [unwrap],
      minify: true,
      logLevel: 'error',
    });
  }
  return folder;
}
