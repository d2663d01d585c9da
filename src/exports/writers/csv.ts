import { textWriter } from '../../gis/downloads/text-writer.ts'
import { featureCsv } from '../../http/formats/csv.ts'

/** Writes CSV (RFC 4180) in UTF-8 without byte order mark. */
export const csvWriter = textWriter(({ columns, geometry, licence, attribution }) => {
  const names = columns.map(({ name }) => name)
  const { header, toRow } = featureCsv({ columns: names, hasPoints: geometry === 'Point', licence, attribution })
  return {
    start: header,
    encode: (feature) => toRow(feature.values, feature.geometry.type === 'Point' ? feature.geometry.coordinates : []),
    end: () => '',
  }
})
