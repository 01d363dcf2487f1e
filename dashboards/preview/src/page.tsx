// One board on one page: its title and question, what was chosen above it, its rows and panels.
import 'uplot/dist/uPlot.min.css';
import { DataFrame, ThemeContext } from '@grafana/data';
import { GlobalStyles } from '@grafana/ui';
import React from 'react';
import { createRoot } from 'react-dom/client';
import { Answer, frames } from './frames';
import { Panel, PanelJson } from './panel';
import { prepared, theme } from './prepare';

type Given = {
  board: { title: string; description: string; panels: (PanelJson & { panels?: PanelJson[]; transformations: any[] })[] };
  answers: Record<number, Answer[]>;
  range: { from: number; to: number };
  chosen: [string, string][];
};

const WIDTH = 1600;
const COLUMN = (WIDTH - 32) / 24;
const ROW = 38;
const GAP = 8;

function Head({ given }: { given: Given }) {
  const time = (at: number) => new Date(at).toISOString().replace('T', ' ').slice(0, 19);
  return (
    <div style={{ padding: '12px 0 8px' }}>
      <div style={{ fontSize: 22, fontWeight: 500 }}>{given.board.title}</div>
      <div style={{ color: theme.colors.text.secondary, margin: '2px 0 8px' }}>{given.board.description}</div>
      <div style={{ display: 'flex', gap: 8, flexWrap: 'wrap', fontSize: 12 }}>
        {[...given.chosen, ['Time', `${time(given.range.from)} to ${time(given.range.to)} UTC`]].map(([name, value]) => (
          <span key={name} style={{ border: `1px solid ${theme.colors.border.medium}`, borderRadius: 2 }}>
            <span style={{ background: theme.colors.background.secondary, padding: '4px 8px' }}>{name}</span>
            <span style={{ padding: '4px 8px' }}>{value}</span>
          </span>
        ))}
        <span style={{ marginLeft: 'auto', color: theme.colors.text.secondary }}>
          preview: Grafana&apos;s components over the answers of Prometheus and Jaeger; no Grafana server
        </span>
      </div>
    </div>
  );
}

function Board({ given, data }: { given: Given; data: Record<number, DataFrame[]> }) {
  const bottom = Math.max(...given.board.panels.map(({ gridPos }) => gridPos.y + gridPos.h));
  return (
    <div style={{ width: WIDTH, padding: '0 16px 16px' }}>
      <Head given={given} />
      <div style={{ position: 'relative', height: bottom * ROW }}>
        {given.board.panels.map((panel) => {
          const { x, y, w, h } = panel.gridPos;
          const style: React.CSSProperties = { position: 'absolute', left: x * COLUMN, top: y * ROW };
          if (panel.type === 'row') {
            return (
              <div key={panel.id} style={{ ...style, fontSize: 16, fontWeight: 500, paddingTop: 8 }}>
                {panel.panels?.length && !given.board.panels.some(({ id }) => id === panel.panels![0].id) ? '▸' : '▾'} {panel.title}
              </div>
            );
          }
          return (
            <div key={panel.id} style={style} data-panel={panel.id}>
              <Panel panel={panel} data={data[panel.id]} range={given.range} size={{ width: w * COLUMN - GAP, height: h * ROW - GAP }} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

async function main() {
  const given = (window as any).given as Given;
  const data: Record<number, DataFrame[]> = {};
  for (const panel of given.board.panels) {
    if (panel.type !== 'row') {
      data[panel.id] = await prepared(frames(given.answers[panel.id]), panel.transformations, panel.fieldConfig);
    }
  }
  createRoot(document.getElementById('root')!).render(
    <ThemeContext.Provider value={theme}>
      <GlobalStyles />
      <Board given={given} data={data} />
    </ThemeContext.Provider>
  );
  setTimeout(() => ((window as any).done = true), 1500);
}

(window as any).problems = [];
(window as any).start = () => main().catch((error) => (window as any).problems.push(String(error?.stack ?? error)));
