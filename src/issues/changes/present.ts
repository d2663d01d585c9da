import type { FastifyRequest } from 'fastify'

import type { Queryable } from '../../database/database.ts'
import { tilesOfCells } from '../../geo/pyramid/cell-tiles.ts'
import { negotiateLanguage } from '../../http/formats/content-types.ts'
import type { Urls } from '../../http/request/urls.ts'
import { type ChangesPosition, encodeChangesCursor } from '../../issue-lifecycle/changes-cursor.ts'
import { parseFields, pickFields } from '../list/query.ts'
import { toIssue } from '../present.ts'
import { toRecords } from '../records/from-rows.ts'
import { toFeature } from '../records/present.ts'
import type { Change, ChangesPage } from './queries.ts'
import type { StreamQuery } from './schema.ts'

/** The form in which changes are shown. Equal forms have one name. */
export interface Form {
  readonly name: string
  readonly present: (change: Change) => object
}

/** @throws Problem 422 for keys that are no fields of an issue */
export function toForm(request: FastifyRequest, query: StreamQuery, urls: Urls): Form {
  const [language, fields, zoom] = [negotiateLanguage(request), parseFields(query), query.tiles]
  return {
    name: JSON.stringify([language, fields, zoom]),
    present({ issue, cells, ...change }) {
      const shown = issue && toIssue(issue, urls, language)
      const tiles = zoom === undefined ? {} : { tiles: tilesOfCells(cells, zoom) }
      return { ...change, ...tiles, issue: shown && fields ? pickFields([shown], fields)[0] : shown }
    },
  }
}

const written = new WeakMap<ChangesPage, Map<string, Buffer>>()

/** Returns the server-sent events of a page. For streams that share the page they are written once in each form. */
export function eventsOf(page: ChangesPage, { name, present }: Form): Buffer {
  const forms = written.get(page) ?? new Map<string, Buffer>()
  const events = forms.get(name) ?? Buffer.from(writeEvents(page, present))
  written.set(page, forms.set(name, events))
  return events
}

function writeEvents({ changes, next }: ChangesPage, present: Form['present']): string {
  const events = changes.map((change) => `event: change\ndata: ${JSON.stringify(present(change))}\n`)
  return `${events.join('\n')}${toId(next)}\n`
}

export const toId = (position: ChangesPosition) => `id: ${encodeChangesCursor(position)}\n`

/** Returns GeoJSON features, one on each line. */
export async function linesOf(db: Queryable, changes: readonly Change[], urls: Urls): Promise<string> {
  const records = await toRecords(
    db,
    changes.flatMap(({ issue }) => (issue ? [issue] : [])),
  )
  const features = new Map(records.map((record) => [record.id, toFeature(record, urls)]))
  const lines = changes.map(({ id, kind, at }) => {
    const feature = features.get(id) ?? { type: 'Feature', id, geometry: null, properties: { id } }
    return `${JSON.stringify({ ...feature, properties: { ...feature.properties, change: kind, changed_at: at } })}\n`
  })
  return lines.join('')
}
