// Answers of Prometheus and Jaeger as data frames: fields and names as Grafana's data sources give them.
import { DataFrame, FieldType, toDataFrame } from '@grafana/data';

export type Target = {
  refId: string;
  datasource: { type: string };
  format?: string;
  legendFormat?: string;
  expr?: string;
};
export type Series = { metric: Record<string, string>; value?: [number, string]; values?: [number, string][] };
export type Answer = { target: Target; series?: Series[]; columns?: { name: string; type: string; values: unknown[]; unit?: string }[] };

const legend = (target: Target, metric: Record<string, string>): string => {
  if (target.legendFormat && target.legendFormat !== '__auto') {
    return target.legendFormat.replace(/\{\{\s*(.+?)\s*\}\}/g, (_, name: string) => metric[name] ?? name);
  }
  const labels = Object.entries(metric).filter(([name]) => name !== '__name__');
  return labels.length ? `{${labels.map(([name, value]) => `${name}="${value}"`).join(', ')}}` : 'Value';
};

function asTable(answer: Answer, several: boolean): DataFrame {
  const series = answer.series ?? [];
  const labels = [...new Set(series.flatMap((one) => Object.keys(one.metric)))].sort();
  return toDataFrame({
    refId: answer.target.refId,
    fields: [
      { name: 'Time', type: FieldType.time, values: series.map((one) => one.value![0] * 1000) },
      ...labels.map((label) => ({ name: label, type: FieldType.string, values: series.map((one) => one.metric[label] ?? '') })),
      {
        name: several ? `Value #${answer.target.refId}` : 'Value',
        type: FieldType.number,
        values: series.map((one) => Number(one.value![1])),
      },
    ],
  });
}

const asSeries = (answer: Answer): DataFrame[] =>
  (answer.series ?? []).map((one) => {
    const points = one.values ?? [one.value!];
    return toDataFrame({
      refId: answer.target.refId,
      fields: [
        { name: 'Time', type: FieldType.time, values: points.map(([at]) => at * 1000) },
        {
          name: 'Value',
          type: FieldType.number,
          labels: one.metric,
          config: { displayNameFromDS: legend(answer.target, one.metric) },
          values: points.map(([, value]) => Number(value)),
        },
      ],
    });
  });

export function frames(answers: Answer[]): DataFrame[] {
  return answers.flatMap((answer) => {
    if (answer.columns) {
      return [
        toDataFrame({
          refId: answer.target.refId,
          fields: answer.columns.map(({ name, type, values, unit }) => ({
            name,
            type: type as FieldType,
            values,
            config: unit ? { unit } : {},
          })),
        }),
      ];
    }
    return answer.target.format === 'table' ? [asTable(answer, answers.length > 1)] : asSeries(answer);
  });
}
