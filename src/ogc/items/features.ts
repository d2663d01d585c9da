import type { Collection, ItemFeature } from '../collections/collection.ts'
import { type Crs, crs84, transformGeometry } from '../../gis/crs/crs.ts'
import type { Link } from '../../gis/ogc/links.ts'

/** Conformance classes of JSON-FG 1.0 (OGC 21-045r1). */
const conformsTo = ['core', 'types-schemas'].map((name) => `http://www.opengis.net/spec/json-fg-1/1.0/conf/${name}`)

export interface FeatureOptions {
  readonly crs: Crs
  /** The names of the properties; undefined for all. */
  readonly properties: readonly string[] | undefined
}

export function toGeoJsonFeature(feature: ItemFeature, { crs, properties }: FeatureOptions): ItemFeature {
  if (crs === crs84 && properties === undefined) return feature
  const geometry = transformGeometry(feature.geometry, crs)
  return { ...feature, geometry, properties: pick(feature.properties, properties) }
}

/** Returns a feature with its time. A geometry in another system than WGS 84 is its `place` (JSON-FG, 7.3). */
export function toJsonFgFeature(feature: ItemFeature, collection: Collection, { crs, properties }: FeatureOptions) {
  const { type, id, geometry } = feature
  const timestamp = collection.timeProperty && feature.properties[collection.timeProperty]
  return {
    type,
    id,
    featureType: collection.id,
    time: timestamp === undefined ? null : { timestamp },
    place: crs === crs84 ? null : transformGeometry(geometry, crs),
    geometry,
    properties: pick(feature.properties, properties),
  }
}

/** Returns the members of a JSON-FG document that are not features. */
export const jsonFgMembers = (collection: Collection, crs: Crs, schemaUrl: string) => ({
  conformsTo,
  featureType: collection.id,
  featureSchema: schemaUrl,
  coordRefSys: crs.uri,
})

function pick(properties: ItemFeature['properties'], names: readonly string[] | undefined): ItemFeature['properties'] {
  return names === undefined ? properties : Object.fromEntries(names.map((name) => [name, properties[name]]))
}

/** Returns the members before the features of a GeoJSON collection (OGC 17-069r4, 7.16). */
export const collectionMembers = (links: readonly Link[], numberMatched: number, numberReturned: number, timeStamp: string) => ({
  type: 'FeatureCollection',
  links,
  timeStamp,
  numberMatched,
  numberReturned,
})
