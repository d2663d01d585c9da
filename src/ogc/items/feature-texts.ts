import type { Collection, Context, ItemFeature, ItemPage, Selection } from '../collections/collection.ts'
import { crs84 } from '../../gis/crs/crs.ts'
import { type FeatureOptions, toGeoJsonFeature, toJsonFgFeature } from './features.ts'

interface TextOptions extends FeatureOptions {
  readonly format: 'json' | 'jsonfg'
}

/** Returns a page of features as JSON texts. Most requests are for GeoJSON in WGS 84, which the database may write. */
export async function readFeatureTexts(
  collection: Collection,
  context: Context,
  selection: Selection,
  { format, ...options }: TextOptions,
): Promise<ItemPage<string>> {
  if (format === 'json' && options.crs === crs84 && collection.readFeatureTexts)
    return collection.readFeatureTexts(context, selection)
  const page = await collection.readItems(context, selection)
  const toItem = (feature: ItemFeature) =>
    format === 'jsonfg' ? toJsonFgFeature(feature, collection, options) : toGeoJsonFeature(feature, options)
  return { ...page, features: page.features.map((feature) => JSON.stringify(toItem(feature))) }
}
