// The committed boards against @grafana/schema's Dashboard, their PromQL and TraceQL against the parsers: node check.mjs [board.json …]
// A line of JSON per problem: {board, panel, problem}. Exit code 1 if there is one.
import { parser as traceql } from '@grafana/lezer-traceql';
import { parser as promql } from '@prometheus-io/lezer-promql';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { filledIn } from './ask.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const boards = join(here, '..', 'boards');
const CHOSEN = { service: '.*', agent: '.*', conversation: 'c-1', jaeger_service: 'shop' };

/** What the compiler says of a board that is written down as a `Dashboard`; an unknown key is a problem, too. */
function mistyped(board) {
  const name = join(here, 'board.ts');
  // JSON has the words of an enum, not the enum
  const text = `import type { Dashboard } from '@grafana/schema';
type Written<T> = T extends string ? \`\${T}\` : T extends object ? { [K in keyof T]: Written<T[K]> } : T;
export const board: Written<Dashboard> = ${JSON.stringify(board, null, 1)};
`;
  const options = { strict: true, noEmit: true, skipLibCheck: true, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, target: ts.ScriptTarget.ES2022, types: [] };
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  const exists = host.fileExists.bind(host);
  host.getSourceFile = (file, ...more) => (file === name ? ts.createSourceFile(file, text, ts.ScriptTarget.ES2022) : read(file, ...more));
  host.fileExists = (file) => file === name || exists(file);
  const program = ts.createProgram([name], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const line = file ? file.getLineAndCharacterOfPosition(start).line : 0;
    return `${ts.flattenDiagnosticMessageText(messageText, ' ')} at ${text.split('\n')[line]?.trim()}`;
  });
}

function unparsed(parser, text) {
  let problem = null;
  parser.parse(text).iterate({ enter: (node) => void (node.type.isError && (problem ??= `${text.slice(Math.max(0, node.from - 20), node.from)} <here> ${text.slice(node.from, node.from + 20)}`)) });
  return problem;
}

const queries = (panel) =>
  (panel.targets ?? []).flatMap((target) => {
    if (target.datasource.type === 'prometheus') return [unparsed(promql, filledIn(target.expr, CHOSEN, 3600, 30))];
    if (target.datasource.type === 'tempo') return [unparsed(traceql, filledIn(target.query, CHOSEN, 3600, 30))];
    return [];
  });

const files = process.argv.length > 2 ? process.argv.slice(2) : readdirSync(boards).filter((name) => name.endsWith('.json')).map((name) => join(boards, name));
let problems = 0;
const say = (board, panel, problem) => {
  problems += 1;
  console.log(JSON.stringify({ board, panel, problem }));
};
for (const file of files) {
  const board = JSON.parse(readFileSync(file, 'utf8'));
  for (const problem of mistyped(board)) say(basename(file), null, problem);
  for (const panel of board.panels.flatMap((one) => [one, ...(one.panels ?? [])])) {
    for (const problem of queries(panel)) if (problem) say(basename(file), panel.title, problem);
  }
}
process.exit(problems ? 1 : 0);
