import { featureEncoder } from '../../gis/downloads/geojson.ts'
import { textWriter } from '../../gis/downloads/text-writer.ts'

/** Writes one feature per line (newline-delimited GeoJSON). The file has nothing else, so the first feature names the licence. */
export const geoJsonLinesWriter = textWriter((layer) => {
  const { licence, attribution } = layer
  const encodeFirst = featureEncoder(layer, { licence, attribution })
  const encode = featureEncoder(layer)
  return { start: '', encode: (feature, index) => `${(index === 0 ? encodeFirst : encode)(feature)}\n`, end: () => '' }
})
