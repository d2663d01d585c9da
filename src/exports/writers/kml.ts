import type { Position } from 'geojson'

import { html as xml, type SafeHtml } from '../../html/template.ts'
import type { Column } from '../../gis/columns.ts'
import { textWriter } from '../../gis/downloads/text-writer.ts'
import type { Feature } from '../../gis/downloads/writer.ts'
import { toXmlText } from '../../http/formats/xml-text.ts'
import { valueReader } from './values.ts'

const fieldTypes: Readonly<Record<Column['type'], string>> = {
  integer: 'int',
  number: 'double',
  text: 'string',
  timestamp: 'string',
}

/** Writes placemarks of KML 2.2 with typed columns. The package tokml needs all features in memory. */
export const kmlWriter = textWriter((layer) => {
  const { name, title, columns, licence, attribution } = layer
  const read = valueReader(layer)
  return {
    start: String(xml`<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:atom="http://www.w3.org/2005/Atom">
<Document id="document"><name>${toXmlText(title)}</name><atom:author><atom:name>${attribution}</atom:name></atom:author><description>${licence}. ${attribution}</description>
<Schema name="${name}" id="${name}">
${columns.map((column) => xml`<SimpleField name="${column.name}" type="${fieldTypes[column.type]}"></SimpleField>\n`)}</Schema>
`),
    encode(feature) {
      const value = read(feature)
      const data = columns
        .filter((_, position) => feature.values[position] !== null)
        .map((column) => xml`<SimpleData name="${column.name}">${toXmlText(value(column.name))}</SimpleData>`)
      return String(xml`<Placemark id="${name}-${feature.id}"><name>${toXmlText(value('summary') || value('name') || value('to_status'))}</name>${descriptionElement(value('description'))}${timeElement(value('created_at') || value('at'))}<ExtendedData><SchemaData schemaUrl="#${name}">${data}</SchemaData></ExtendedData>${encodeGeometry(feature.geometry)}</Placemark>
`)
    },
    end: () => '</Document>\n</kml>\n',
  }
})

/** Programs show a description as HTML, so its text is escaped once more than XML needs. */
const descriptionElement = (text: string): SafeHtml | '' =>
  text === '' ? '' : xml`<description>${String(xml`${toXmlText(text)}`)}</description>`

const timeElement = (time: string): SafeHtml | '' => (time === '' ? '' : xml`<TimeStamp><when>${time}</when></TimeStamp>`)

function encodeGeometry(geometry: Feature['geometry']): SafeHtml {
  if (geometry.type === 'Point') return xml`<Point><coordinates>${encodePositions([geometry.coordinates])}</coordinates></Point>`
  const polygons = geometry.coordinates.map(
    ([outer = [], ...inner]) =>
      xml`<Polygon><outerBoundaryIs>${encodeRing(outer)}</outerBoundaryIs>${inner.map((ring) => xml`<innerBoundaryIs>${encodeRing(ring)}</innerBoundaryIs>`)}</Polygon>`,
  )
  const [only, ...others] = polygons
  return only && others.length === 0 ? only : xml`<MultiGeometry>${polygons}</MultiGeometry>`
}

const encodeRing = (ring: readonly Position[]) => xml`<LinearRing><coordinates>${encodePositions(ring)}</coordinates></LinearRing>`

const encodePositions = (positions: readonly Position[]): string => positions.map(([lng, lat]) => `${lng},${lat}`).join(' ')
