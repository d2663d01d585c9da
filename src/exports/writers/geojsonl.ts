import { featureEncoder } from '../../gis/downloads/geojson.ts'
import { textWriter } from '../../gis/downloads/text-writer.ts'

/** Writes one feature per line (newline-delimited GeoJSON). The file has nothing else, so each feature names the licence. */
export const geoJsonLinesWriter = textWriter((layer) => {
  const { licence, attribution } = layer
  const encode = featureEncoder(layer, { licence, attribution })
  return { start: '', encode: (feature) => `${encode(feature)}\n`, end: () => '' }
})
