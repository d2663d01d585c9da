export type { Feature, FeatureWriter, Layer, OpenWriter } from '../../gis/downloads/writer.ts'
