import { textWriter } from '../../gis/downloads/text-writer.ts'
import type { Feature, Layer } from '../../gis/downloads/writer.ts'
import { featureCsv } from '../../http/formats/csv.ts'

const createEncoder = ({ columns, geometry }: Layer) => {
  const { header, toRow } = featureCsv({ columns: columns.map(({ name }) => name), hasPoints: geometry === 'Point' })
  return {
    start: header,
    encode: ({ values, geometry: { type, coordinates } }: Feature) => toRow(values, type === 'Point' ? coordinates : []),
    end: () => '',
  }
}

/** Writes CSV (RFC 4180) in UTF-8 without byte order mark. */
export const csvWriter = textWriter(createEncoder)

/** Writes the same with a byte order mark, without which Excel takes the text for that of another encoding. */
export const csvWithBomWriter = textWriter((layer) => {
  const encoder = createEncoder(layer)
  return { ...encoder, start: `\uFEFF${encoder.start}` }
})
