import { html as xml, type SafeHtml } from '../../html/template.ts'
import { textWriter } from '../../gis/downloads/text-writer.ts'
import { LICENCE_URL } from '../../http/formats/licence.ts'
import { toXmlText } from '../../http/formats/xml-text.ts'
import { valueReader } from './values.ts'

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
