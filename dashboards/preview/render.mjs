// Pictures of the committed boards: node render.mjs --prometheus URL --jaeger URL --out FOLDER [--from MS --to MS --var name=value …] [board.json …]
// --closed leaves closed rows closed, as Grafana opens a board. A line of JSON per panel: {board, panel, title, type, rows, unit, problem}. Exit code 1 if a panel has a problem.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { asked } from './ask.mjs';
import { bundled } from './bundle.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const boards = join(here, '..', 'boards');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    prometheus: { type: 'string', default: 'http://127.0.0.1:9090' },
    jaeger: { type: 'string', default: 'http://127.0.0.1:16686' },
    out: { type: 'string', default: 'pictures' },
    from: { type: 'string' },
    to: { type: 'string' },
    var: { type: 'string', multiple: true, default: [] },
    closed: { type: 'boolean', default: false },
    chromium: { type: 'string', default: '/usr/bin/chromium' },
  },
});
const to = Number(values.to ?? Date.now());
const from = Number(values.from ?? to - 15 * 60 * 1000);
const given = Object.fromEntries(values.var.map((pair) => pair.split(/=(.*)/s).slice(0, 2)));
const ORIGIN = 'http://board.test/';  // answered below, nothing goes out: Grafana's code wants a page that may store things
const EMPTY_MEANS_GOOD = new Set(readFileSync(join(here, 'may-be-empty.txt'), 'utf8').split('\n').filter((line) => line && !line.startsWith('#')));

/** All panels that are seen, those of closed rows opened, below each other. */
function opened(board) {
  let below = 0;
  const panels = [];
  for (const panel of board.panels) {
    const moved = { ...panel, gridPos: { ...panel.gridPos, y: panel.gridPos.y + below } };
    panels.push(moved);
    if (panel.panels?.length && !values.closed) {
      const top = Math.min(...panel.panels.map(({ gridPos }) => gridPos.y));
      const height = Math.max(...panel.panels.map(({ gridPos }) => gridPos.y + gridPos.h)) - top;
      panels.push(...panel.panels.map((inner) => ({ ...inner, gridPos: { ...inner.gridPos, y: inner.gridPos.y - top + moved.gridPos.y + 1 } })));
      below += height;
    }
  }
  return { ...board, panels };
}

function chosenOn(board) {
  const chosen = {};
  for (const variable of board.templating.list) {
    chosen[variable.name] = given[variable.name] ?? (variable.includeAll ? '.*' : '');
  }
  return chosen;
}

const shownAs = (board, chosen) =>
  board.templating.list
    .filter(({ type, name }) => type !== 'datasource' && chosen[name] !== '')
    .map(({ label, name }) => [label, chosen[name] === '.*' ? 'All' : chosen[name]]);

const size = (answer) => (answer.columns ? answer.columns[0].values.length : answer.series.length);

async function rendered(page, file, folder) {
  const board = opened(JSON.parse(readFileSync(file, 'utf8')));
  const chosen = chosenOn(board);
  const answers = {};
  const report = [];
  for (const panel of board.panels.filter(({ type }) => type !== 'row')) {
    const line = { board: board.uid, panel: panel.id, title: panel.title, type: panel.type, rows: 0, unit: panel.fieldConfig.defaults.unit ?? null, problem: null };
    try {
      answers[panel.id] = await Promise.all(panel.targets.map((target) => asked(target, { ...values, from, to, chosen })));
      line.rows = answers[panel.id].reduce((sum, answer) => sum + size(answer), 0);
      if (!line.unit) line.problem = 'no unit';
      if (!line.rows && !EMPTY_MEANS_GOOD.has(`${board.uid}: ${panel.title}`)) line.problem = 'empty';
    } catch (error) {
      answers[panel.id] = [];
      line.problem = String(error.message ?? error);
    }
    report.push(line);
  }
  await page.goto(ORIGIN);
  await page.evaluate((all) => Object.assign(window, all), {
    grafanaBootData: { settings: {}, user: {}, navTree: [] },
    given: { board, answers, range: { from, to }, chosen: shownAs(board, chosen) },
  });
  await page.addStyleTag({ path: join(folder, 'page.css') });
  await page.addScriptTag({ path: join(folder, 'page.js') });
  await page.evaluate(() => window.start());
  await page.waitForFunction(() => window.done || window.problems.length, undefined, { timeout: 30000 });
  for (const problem of await page.evaluate(() => window.problems)) {
    const line = report.find(({ title }) => problem.startsWith(`${title}: `)) ?? report[0];
    line.problem ??= problem;
  }
  const picture = join(values.out, `${basename(file, '.json')}.png`);
  writeFileSync(picture, await page.screenshot({ fullPage: true }));
  return report;
}

mkdirSync(values.out, { recursive: true });
const folder = await bundled(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'hookspan', 'preview'));
const browser = await chromium.launch({
  executablePath: values.chromium,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
let problems = 0;
try {
  const page = await browser.newPage({ viewport: { width: 1632, height: 900 } });
  await page.route(`${ORIGIN}**`, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><body style="background:#111217;margin:0"><div id="root"></div></body>' })
  );
  page.on('pageerror', (error) => console.error(String(error)));
  const files = positionals.length ? positionals : readdirSync(boards).filter((name) => name.endsWith('.json')).sort().map((name) => join(boards, name));
  for (const file of files) {
    for (const line of await rendered(page, file, folder)) {
      console.log(JSON.stringify(line));
      problems += line.problem ? 1 : 0;
    }
  }
} finally {
  await browser.close();
}
process.exit(problems ? 1 : 0);
