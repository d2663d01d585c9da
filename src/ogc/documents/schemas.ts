import type { Urls } from '../../http/request/urls.ts'
import { type Collection, nullablePropertySchema, propertySchema } from '../collections/collection.ts'
import { ROOT } from '../../gis/ogc/parameters.ts'
import { GEOMETRY } from '../../gis/cql2/queryable.ts'

const DRAFT = 'https://json-schema.org/draft/2020-12/schema'

export const schemaKinds = ['schema', 'queryables', 'sortables'] as const
type SchemaKind = (typeof schemaKinds)[number]

const titles: Readonly<Record<SchemaKind, string>> = {
  schema: 'Properties of items',
  queryables: 'Properties for filters',
  sortables: 'Properties for sorting',
}

/** Returns the logical schema of a collection (OGC 23-058r1): its properties with their roles, one type each. */
export function toLogicalSchema(collection: Collection, kind: SchemaKind, urls: Urls) {
  const queryables = [...collection.row.queryables.values()]
  const names = {
    schema: Object.keys(collection.properties.properties),
    queryables: queryables.map(({ name }) => name),
    sortables: queryables.filter(({ isSortable }) => isSortable).map(({ name }) => name),
  }[kind]
  const geometry = { 'x-ogc-role': 'primary-geometry', format: `geometry-${collection.geometryType.toLowerCase()}` }
  return {
    $schema: DRAFT,
    $id: urls.at(`${ROOT}/collections/${collection.id}/${kind}`),
    type: 'object',
    title: `${collection.title}: ${titles[kind]}`,
    properties: {
      ...Object.fromEntries(names.map((name) => [name, { ...propertySchema(collection, name), ...role(collection, name) }])),
      ...(kind === 'sortables' ? {} : { [GEOMETRY]: geometry }),
    },
    additionalProperties: false,
  }
}

/** `geojson` describes the features of the service. `columns` describes features without nulls, because GDAL reads no property of two types. */
export const featureSchemaKinds = ['geojson', 'columns'] as const
type FeatureSchemaKind = (typeof featureSchemaKinds)[number]

/** Returns the schema of a feature as GeoJSON (RFC 7946). The id is a member of the feature, too. */
export function toFeatureSchema(collection: Collection, kind: FeatureSchemaKind, urls: Urls) {
  const names = Object.keys(collection.properties.properties).filter((name) => kind === 'geojson' || name !== 'id')
  const toSchema = kind === 'geojson' ? nullablePropertySchema : propertySchema
  return {
    $schema: DRAFT,
    $id: urls.at(`${ROOT}/collections/${collection.id}/schema/${kind}`),
    type: 'object',
    title: collection.title,
    required: ['type', 'id', 'geometry', 'properties'],
    properties: {
      type: { type: 'string', enum: ['Feature'] },
      id: { type: 'integer' },
      geometry: {
        type: 'object',
        required: ['type', 'coordinates'],
        properties: { type: { type: 'string', enum: [collection.geometryType] }, coordinates: { type: 'array' } },
      },
      properties: {
        type: 'object',
        properties: Object.fromEntries(names.map((name) => [name, toSchema(collection, name)])),
      },
    },
  }
}

function role({ timeProperty }: Collection, name: string): object {
  if (name === 'id') return { 'x-ogc-role': 'id' }
  return name === timeProperty ? { 'x-ogc-role': 'primary-instant' } : {}
}
