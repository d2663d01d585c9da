import { featureEncoder } from '../../gis/downloads/geojson.ts'
import { textWriter } from '../../gis/downloads/text-writer.ts'

/** Writes one feature per line (newline-delimited GeoJSON). The file has no place for a licence; the `Link` header names it. */
export const geoJsonLinesWriter = textWriter((layer) => {
  const encode = featureEncoder(layer)
  return { start: '', encode: (feature) => `${encode(feature)}\n`, end: () => '' }
})
