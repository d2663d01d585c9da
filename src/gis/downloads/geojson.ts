import { type FeatureEncoder, textWriter, type Feature, type Layer } from './writer.ts'

/**
 * Writes one FeatureCollection (RFC 7946). The counts follow the features, because they are known last. GDAL takes `name` as the
 * name of the layer.
 */
export const geoJsonWriter = textWriter((layer): FeatureEncoder => {
  const { name, title, licence, attribution } = layer
  const members = { type: 'FeatureCollection', name, title, licence, attribution }
  const encode = featureEncoder(layer)
  return {
    start: `${JSON.stringify(members).slice(0, -1)},"features":[`,
    encode: (feature, index) => `${index === 0 ? '\n' : ',\n'}${encode(feature)}`,
    end: (count) => `\n],"numberMatched":${count},"numberReturned":${count}}\n`,
  }
})

/**
 * Returns a function that encodes a feature as one line of GeoJSON. The keys are encoded once, not for each feature.
 * @param members foreign members of each feature (RFC 7946, 6.1)
 */
export function featureEncoder({ columns }: Layer, members: Readonly<Record<string, string>> = {}): (feature: Feature) => string {
  const end = Object.entries(members)
    .map(([name, text]) => `,${JSON.stringify(name)}:${JSON.stringify(text)}`)
    .join('')
  const keys = columns.map(({ name }, position) => `${position === 0 ? '' : ','}${JSON.stringify(name)}:`)
  return ({ id, geometry, values }) => {
    let text = `{"type":"Feature","id":${id},"geometry":${encodeGeometry(geometry)},"properties":{`
    for (let position = 0; position < keys.length; position++)
      text += `${keys[position] ?? ''}${encodeValue(values[position] ?? null)}`
    return `${text}}${end}}`
  }
}

const encodeValue = (value: string | number | null): string => (typeof value === 'string' ? JSON.stringify(value) : String(value))

function encodeGeometry(geometry: Feature['geometry']): string {
  if (geometry.type === 'MultiPolygon') return JSON.stringify(geometry)
  const [lng, lat] = geometry.coordinates
  return `{"type":"Point","coordinates":[${lng},${lat}]}`
}
