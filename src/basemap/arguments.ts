import { parseArgs } from 'node:util'

import { type Box, mercatorLatitudeMax } from '../geo/shapes.ts'
import { UsageError } from '../process/run-command.ts'

type BaseMapRequest =
  | { readonly kind: 'status' }
  | { readonly kind: 'none' }
  | { readonly kind: 'style'; readonly url: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'extract'; readonly url: string; readonly bounds: Box }

const OPENFREEMAP_STYLE = 'https://tiles.openfreemap.org/styles/liberty'

/** @throws UsageError naming what is allowed */
export function parseArguments(args: readonly string[]): BaseMapRequest {
  const { values, positionals } = parseArgs({
    // A value that begins with a minus needs an equals sign.
    args: args.flatMap((arg, index) => (arg === '--bounds' ? [] : [args[index - 1] === '--bounds' ? `--bounds=${arg}` : arg])),
    options: { bounds: { type: 'string' } },
    allowPositionals: true,
  })
  const [first, ...others] = positionals
  const [unexpected] = others
  if (unexpected !== undefined) throw new UsageError(`There must be one base map. Unexpected: ${unexpected}`)
  const isUrl = first !== undefined && /^https?:\/\//i.test(first)
  if (values.bounds !== undefined && !isUrl) throw new UsageError('--bounds is allowed only with the address of a PMTiles file.')
  if (first === undefined) return { kind: 'status' }
  if (first === 'none') return { kind: 'none' }
  if (first === 'openfreemap') return { kind: 'style', url: OPENFREEMAP_STYLE }
  if (!isUrl) return { kind: 'file', path: first }
  if (!URL.canParse(first)) throw new UsageError('The address of the PMTiles file is not valid.')
  if (values.bounds === undefined) throw new UsageError('An address needs --bounds: the part of the map that is copied.')
  return { kind: 'extract', url: first, bounds: parseBounds(values.bounds) }
}

function parseBounds(text: string): Box {
  const numbers = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)))
  const [west = 0, south = 0, east = 0, north = 0] = numbers
  const isValid =
    numbers.length === 4 &&
    numbers.every(Number.isFinite) &&
    west >= -180 &&
    west < east &&
    east <= 180 &&
    south >= -mercatorLatitudeMax &&
    south < north &&
    north <= mercatorLatitudeMax
  if (isValid) return { west, south, east, north }
  throw new UsageError(
    '--bounds must be four numbers in degrees, west,south,east,north, such as -105.2,39.6,-104.6,40: west less than east, south less than north, latitudes within 85.',
  )
}
