// Transformations and field settings, applied by Grafana's own code.
import {
  applyFieldOverrides,
  createTheme,
  DataFrame,
  FieldConfigPropertyItem,
  FieldConfigSource,
  Registry,
  standardTransformers,
  standardTransformersRegistry,
  transformDataFrame,
} from '@grafana/data';
import { lastValueFrom } from 'rxjs';

export const theme = createTheme({ colors: { mode: 'dark' } });

standardTransformersRegistry.setInit(() =>
  [
    standardTransformers.mergeTransformer,
    standardTransformers.organizeFieldsTransformer,
    standardTransformers.filterFieldsByNameTransformer,
    standardTransformers.filterFieldsTransformer,
    standardTransformers.orderFieldsTransformer,
    standardTransformers.renameFieldsTransformer,
    standardTransformers.sortByTransformer,
  ].map((transformation) => ({ id: transformation.id, name: transformation.name, transformation: () => Promise.resolve(transformation), editor: () => null }) as never)
);

// The properties that the boards set. Grafana registers the same ones, with an editor each.
const property = (id: string, custom: boolean): FieldConfigPropertyItem =>
  ({
    id,
    path: id.replace(/^custom\./, ''),
    name: id,
    isCustom: custom,
    process: (value: unknown) => value,
    shouldApply: () => true,
    editor: () => null,
    override: () => null,
  }) as never;
const STANDARD = ['unit', 'decimals', 'min', 'max', 'color', 'mappings', 'thresholds', 'noValue', 'displayName', 'links'];
const CUSTOM = ['align', 'width', 'minWidth', 'cellOptions', 'filterable', 'drawStyle', 'fillOpacity', 'lineWidth', 'showPoints', 'stacking', 'axisSoftMin'];
const registry = new Registry<FieldConfigPropertyItem>(() => [
  ...STANDARD.map((id) => property(id, false)),
  ...CUSTOM.map((id) => property(`custom.${id}`, true)),
]);

export async function prepared(
  data: DataFrame[],
  transformations: { id: string; options: object }[],
  fieldConfig: FieldConfigSource
): Promise<DataFrame[]> {
  const transformed = await lastValueFrom(transformDataFrame(transformations, data));
  return applyFieldOverrides({
    data: transformed,
    fieldConfig,
    fieldConfigRegistry: registry as never,
    theme,
    timeZone: 'utc',
    replaceVariables: (text: string) => text,
  });
}
