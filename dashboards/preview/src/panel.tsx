// One panel: Grafana's component for its type, in Grafana's frame.
import { DataFrame, dateTime, FieldType, getDisplayProcessor, getFieldDisplayName, TimeRange } from '@grafana/data';
import * as grafana from '@grafana/ui';
import React from 'react';
import { theme } from './prepare';

// Their types ask for what a running Grafana gives them; what is given here is what they read.
const { BarGauge, BigValue, PanelChrome, Table, TimeSeries } = grafana as unknown as Record<string, React.ComponentType<any>>;

export type PanelJson = {
  id: number;
  type: string;
  title: string;
  description: string;
  gridPos: { x: number; y: number; w: number; h: number };
  options: any;
  fieldConfig: any;
};
type Size = { width: number; height: number };

const numbers = (data: DataFrame[]) =>
  data.flatMap((frame) =>
    frame.fields
      .filter((field) => field.type === FieldType.number)
      .map((field) => {
        const display = field.display ?? getDisplayProcessor({ field, theme });
        return { name: getFieldDisplayName(field, frame, data), field, value: display(field.values[field.values.length - 1]) };
      })
  );

function Stat({ data, width, height }: { data: DataFrame[] } & Size) {
  const [first] = numbers(data);
  return <BigValue value={{ ...first.value, title: undefined }} theme={theme} width={width} height={height} colorMode="value" graphMode="none" justifyMode="auto" textMode="value" />;
}

function Bars({ data, width, height }: { data: DataFrame[] } & Size) {
  const all = numbers(data).sort((a, b) => b.value.numeric - a.value.numeric);
  const each = Math.min(Math.floor(height / all.length) - 6, 42);
  const most = Math.max(...all.map((one) => one.value.numeric));
  const longest = (texts: string[]) => texts.reduce((a, b) => (a.length >= b.length ? a : b), '');
  const alignment = { title: longest(all.map((one) => one.name)), text: longest(all.map((one) => one.value.text)), numeric: most };
  return (
    <div style={{ display: 'flex', flexDirection: 'column', gap: 6 }}>
      {all.map(({ name, field, value }) => (
        <BarGauge
          key={name}
          theme={theme}
          width={width}
          height={each}
          orientation="horizontal"
          displayMode="basic"
          showUnfilled={false}
          namePlacement="left"
          valueDisplayMode="text"
          field={{ ...field.config, min: 0, max: most }}
          value={{ ...value, title: name }}
          display={field.display}
          text={{ titleSize: 13, valueSize: 14 }}
          itemSpacing={4}
          alignmentFactors={alignment}
        />
      ))}
    </div>
  );
}

export function Panel({ panel, data, range, size }: { panel: PanelJson; data: DataFrame[]; range: { from: number; to: number } } & { size: Size }) {
  const time: TimeRange = { from: dateTime(range.from), to: dateTime(range.to), raw: { from: dateTime(range.from), to: dateTime(range.to) } };
  const shown = (width: number, height: number) => {
    if (!data.some((frame) => frame.length > 0)) {
      return <div style={{ color: theme.colors.text.secondary, padding: 12 }}>No data</div>;
    }
    switch (panel.type) {
      case 'stat':
        return <Stat data={data} width={width} height={height} />;
      case 'bargauge':
        return <Bars data={data} width={width} height={height} />;
      case 'table':
        return <Table data={data[0]} width={width} height={height} cellHeight="sm" timeRange={time} showTypeIcons={false} />;
      case 'timeseries':
        return (
          <TimeSeries frames={data} timeRange={time} timeZone="utc" width={width} height={height} legend={panel.options.legend} options={panel.options} theme={theme} replaceVariables={(text: string) => text} />
        );
      default:
        throw new Error(`no component for ${panel.type}`);
    }
  };
  return (
    <PanelChrome width={size.width} height={size.height} title={panel.title} description={panel.description} padding={panel.type === 'stat' ? 'none' : 'md'}>
      {(width: number, height: number) => (
        <Guard title={panel.title}>{shown(width, height)}</Guard>
      )}
    </PanelChrome>
  );
}

class Guard extends React.Component<{ title: string; children: React.ReactNode }, { problem?: string }> {
  state: { problem?: string } = {};
  static getDerivedStateFromError(error: Error) {
    return { problem: String(error) };
  }
  componentDidCatch(error: Error) {
    (window as any).problems.push(`${this.props.title}: ${error}`);
  }
  render() {
    return this.state.problem ? <pre style={{ color: 'red' }}>{this.state.problem}</pre> : this.props.children;
  }
}
