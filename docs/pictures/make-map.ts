import { writeFile } from 'node:fs/promises'
import { html } from '@remix-run/html-template'

import { cities } from '../../prisma/seeds/cities/index.ts'
import { boundaryOf, readBoundaries } from '../../prisma/seeds/boundaries.ts'
import type { Box } from '../../src/geo/box.ts'
import type { Issue } from '../../src/issues/schema.ts'
import type { Status } from '../../src/issue-lifecycle/status.ts'
import { drawMap } from '../../src/web/map/map-svg.ts'

/*
 * Draws the picture of the README from a running service that has the demo:
 *   node docs/pictures/make-map.ts [http://127.0.0.1:3000]
 */

const PLACE = 'denver'
const WIDTH = 960
const HEAD = 84
/** Around the outermost issues, of the width of what they span. */
const AIR = 0.06
/** With where each stands in the legend. */
const colours: readonly (readonly [Status, string, number])[] = [
  ['Open', '#cc4f00', 28],
  ['Acknowledged', '#0068b8', 145],
  ['Closed', '#00855d', 345],
]

interface Page {
  readonly metadata: { readonly pagination: { readonly entries: number; readonly next_page_url: string | null } }
  readonly issues: readonly Pick<Issue, 'id' | 'lng' | 'lat' | 'status'>[]
}

/** All pages of the answer, as any client would read them. */
async function read(url: string | null): Promise<Page['issues']> {
  if (url === null) return []
  const answer = await fetch(url, { headers: { 'user-agent': 'docs/pictures/make-map.ts' } })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: is the service running, with the demo?`)
  const { metadata, issues } = (await answer.json()) as Page
  return [...issues, ...(await read(metadata.pagination.next_page_url))]
}

function around(dots: Page['issues']): Box {
  const [lngs, lats] = [dots.map((dot) => dot.lng), dots.map((dot) => dot.lat)]
  const [west, east] = [Math.min(...lngs), Math.max(...lngs)]
  const air = (east - west) * AIR
  return { west: west - air, east: east + air, south: Math.min(...lats) - air, north: Math.max(...lats) + air }
}

const root = process.argv[2] ?? 'http://127.0.0.1:3000'
const dots = await read(`${root}/api/v2/issues?place_url=${PLACE}&per_page=100&fields[issue]=id,lng,lat,status`)
const city = cities.find(({ urlName }) => urlName === PLACE)
if (!city) throw new Error(`The demo has no city ${PLACE}`)
const [lng, lat] = city.heart
const outlines = [boundaryOf(await readBoundaries(), city.fips)]
const { height, layers } = drawMap({ label: '', centre: { lng, lat }, view: around(dots), outlines, dots, width: WIDTH })

const legend = colours.map(([status, colour, x]) => {
  const count = dots.filter((dot) => dot.status === status).length
  return html`<circle cx="${x + 6}" cy="62" r="6" fill="${colour}"/><text x="${x + 20}" y="67">${status} ${count}</text>\n`
})
const style = `
text{font:16px system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;fill:#17212b}
.title{font-size:22px;font-weight:700}
.outline{fill:#e9eeea;stroke:#7f9a92;stroke-width:2;stroke-linejoin:round}
.dots{fill:none;stroke-width:6;stroke-linecap:round;stroke-opacity:.75}
${colours.map(([status, colour]) => `.${status.toLowerCase()}{stroke:${colour}}`).join('\n')}
`
const title = `${city.name}: ${new Intl.NumberFormat('en-GB').format(dots.length)} current issues`
const picture = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height + HEAD}" role="img" aria-label="${title}">
<style>${html.raw`${style}`}</style>
<clipPath id="frame"><rect width="${WIDTH}" height="${height + HEAD}" rx="16"/></clipPath>
<g clip-path="url(#frame)">
<rect width="${WIDTH}" height="${height + HEAD}" fill="#f7f9f8"/>
<svg y="${HEAD}" width="${WIDTH}" height="${height}">${layers}</svg>
<text class="title" x="28" y="38">${title}</text>
${legend}</g>
</svg>
`
const file = new URL('issues-on-a-map.svg', import.meta.url)
await writeFile(file, String(picture))
process.stdout.write(`Wrote ${file.pathname} with ${dots.length} issues.\n`)
