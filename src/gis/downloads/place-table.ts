import { sql } from '../../database/database.ts'
import type { Area } from '../../geo/area.ts'
import { attributionText, licenceText } from '../../http/formats/licence.ts'
import type { Urls } from '../../http/request/urls.ts'
import { toPlaceProperties } from '../../places/records/present.ts'
import { PlaceRecord, placeRecordsStatement } from '../../places/records/queries.ts'
import { PlaceProperties } from '../../places/records/schema.ts'
import { toColumns } from '../columns.ts'
import { touchesArea } from '../place-area.ts'
import type { FeatureTable } from './spool.ts'
import type { Feature } from './writer.ts'
import type { TableContext } from './issue-table.ts'

/** A boundary can have some megabytes. */
const BATCH_PLACES = 20

const columns = toColumns(PlaceProperties)
const names = columns.map(({ name }) => name) as (keyof PlaceProperties)[]

/** Returns the places whose boundary touches the area, as features for a whole download. */
export function placeTable(
  { area, afterId }: { readonly area: Area; readonly afterId?: number | undefined },
  { urls, title, createdAt }: TableContext,
): FeatureTable {
  return {
    layer: {
      name: 'places',
      title,
      geometry: 'MultiPolygon',
      columns,
      licence: licenceText,
      attribution: attributionText(urls),
      createdAt,
    },
    async *read(snapshot) {
      let lastId = afterId
      for (;;) {
        const statement = placeRecordsStatement({ condition: touchesArea(area), afterId: lastId, limit: BATCH_PLACES })
        const records = await snapshot.query(sql.type(PlaceRecord)`${statement}`)
        if (records.length === 0) return
        yield records.map((record) => toPlaceFeature(record, urls))
        lastId = records.at(-1)?.id
      }
    },
  }
}

function toPlaceFeature(record: PlaceRecord, urls: Urls): Feature {
  const properties = toPlaceProperties(record, urls)
  return { id: record.id, geometry: record.boundary, values: names.map((name) => properties[name]) }
}
