import { textWriter } from '../../gis/downloads/text-writer.ts'
import { toCsvLine } from '../../http/formats/csv.ts'

/**
 * Writes CSV (RFC 4180) in UTF-8 without byte order mark: the columns, and `lng` and `lat` of points. A comment would not be valid
 * CSV, so the `Link` header alone names the licence.
 */
export const csvWriter = textWriter(({ columns, geometry }) => {
  const names = columns.map(({ name }) => name)
  return {
    start: toCsvLine(geometry === 'Point' ? [...names, 'lng', 'lat'] : names),
    encode: (feature) =>
      toCsvLine(feature.geometry.type === 'Point' ? [...feature.values, ...feature.geometry.coordinates] : feature.values),
    end: () => '',
  }
})
