import type { Position } from 'geojson'

import { html as xml, type SafeHtml } from '../../html/template.ts'
import type { Column } from '../../gis/columns.ts'
import { textWriter, type Feature, type Layer } from '../../gis/downloads/writer.ts'
import { toXmlText } from '../../http/formats/xml-text.ts'
import { LICENCE_URL } from '../../http/formats/feature-collection.ts'
import { featureEncoder } from '../../gis/downloads/geojson.ts'
import { featureCsv } from '../../http/formats/csv.ts'

/** Returns a function that reads values of a feature as text by the name of their column; null and unknown columns are empty. */
function valueReader({ columns }: Layer): (feature: Feature) => (name: string) => string {
  const positions = new Map(columns.map(({ name }, position) => [name, position]))
  return ({ values }) =>
    (name) => {
      const position = positions.get(name)
      return position === undefined ? '' : String(values[position] ?? '')
    }
}

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

/** Writes waypoints of GPX 1.1 for navigation devices, whose longitudes are below 180. The packages togpx and gpx-builder need all points in memory. */
export const gpxWriter = textWriter((layer) => {
  const { title, licence, attribution, createdAt = '' } = layer
  const read = valueReader(layer)
  return {
    start: String(xml`<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="Fixpoint" xmlns="http://www.topografix.com/GPX/1/1">
<metadata><name>${toXmlText(title)}</name><desc>${licence}. ${attribution}</desc><copyright author="${attribution}"><year>${createdAt.slice(0, 4)}</year><license>${LICENCE_URL}</license></copyright><time>${createdAt}</time></metadata>
`),
    encode(feature) {
      const [lng = 0, lat = 0] = feature.geometry.type === 'Point' ? feature.geometry.coordinates : []
      const value = read(feature)
      return String(xml`<wpt lat="${decimal(lat)}" lon="${decimal(lng === 180 ? -180 : lng)}"><time>${value('created_at') || value('at')}</time><name>${toXmlText(value('summary') || value('to_status'))}</name>${element('desc', value('description'))}${link(value('html_url'))}<type>${value('status') || value('to_status')}</type></wpt>
`)
    },
    end: () => '</gpx>\n',
  }
})

const link = (url: string): SafeHtml | '' => (url === '' ? '' : xml`<link href="${url}"></link>`)

const element = (name: 'desc', text: string): SafeHtml | '' => (text === '' ? '' : xml`<${name}>${toXmlText(text)}</${name}>`)

/** An xsd:decimal has no exponent. */
const decimal = (degrees: number): string => {
  const text = String(degrees)
  return text.includes('e') ? degrees.toFixed(20) : text
}

/** Writes one feature per line (newline-delimited GeoJSON). The file has nothing else, so the first feature names the licence. */
export const geoJsonLinesWriter = textWriter((layer) => {
  const { licence, attribution } = layer
  const encodeFirst = featureEncoder(layer, { licence, attribution })
  const encode = featureEncoder(layer)
  return { start: '', encode: (feature, index) => `${(index === 0 ? encodeFirst : encode)(feature)}\n`, end: () => '' }
})

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
