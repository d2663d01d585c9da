import { type Box, mercatorLatitude, mercatorY, type Point } from '../../../geo/shapes.ts'

/* A Web Mercator map that is drawn anew for each view. Its pixels are those of MapLibre: the world has 512 at zoom 0. */

export interface DrawnView {
  /** With one decimal. */
  readonly zoom: number
  readonly centre: Point
}

export const DRAWN_WIDTH = 720
/** Every size of the image has this ratio, so that a click has the same fractions in all of them. */
const HEIGHT_RATIO = 0.8
export const DRAWN_HEIGHT = DRAWN_WIDTH * HEIGHT_RATIO
const WORLD_PIXELS = 512
/** The whole world is as wide as the map. */
const ZOOM_MIN = 0.5
export const ZOOM_MAX = 19
/** A click zooms in by this much until the map shows single streets: its spot stays in view, since a click is exact to a few pixels. */
const CLICK_ZOOM_STEP = 6
const STREET_ZOOM = 16
/** The least zoom at which a chosen point is not wrong by a street. */
export const POINT_ZOOM_MIN = 14
/** A click on a map of a lower zoom only moves the view. */
export const CLICK_ZOOM_MIN = 12
/** The share of the map by which a button moves it. */
const PAN_SHARE = 0.4
/** A place leaves a margin on its map. */
const FIT_SHARE = 0.9
const DECIMALS = 6
const LATITUDE_MAX = 85
/** The world without its poles, where no place is known. */
const WORLD: Box = { west: -179, south: -60, east: 179, north: 75 }

export const moves = ['in', 'out', 'north', 'south', 'west', 'east'] as const
export type Move = (typeof moves)[number]

const clamp = (value: number, min: number, max: number) => Math.min(Math.max(value, min), max)
const round = (degrees: number) => Number(degrees.toFixed(DECIMALS))
const wrap = (lng: number) => ((((lng + 180) % 360) + 360) % 360) - 180
/** The width of the map as a share of the world. */
const widthShare = (zoom: number) => DRAWN_WIDTH / (WORLD_PIXELS * 2 ** zoom)
/** A map that is higher than the world has its middle. */
const heightShare = (zoom: number) => Math.min(1, widthShare(zoom) * HEIGHT_RATIO)

export function createView(zoom: number, { lng, lat }: Point): DrawnView {
  const half = heightShare(zoom) / 2
  const y = clamp(mercatorY(clamp(lat, -LATITUDE_MAX, LATITUDE_MAX)), half, 1 - half)
  return {
    zoom: clamp(Math.round(zoom * 10) / 10, ZOOM_MIN, ZOOM_MAX),
    centre: { lng: round(wrap(lng)), lat: round(mercatorLatitude(y)) },
  }
}

/** Returns the box in degrees; `west` is greater than `east` where it crosses the antimeridian. */
export function viewToBox({ zoom, centre }: DrawnView): Box {
  const [halfWidth, halfHeight, y] = [(widthShare(zoom) * 360) / 2, heightShare(zoom) / 2, mercatorY(centre.lat)]
  return {
    west: wrap(centre.lng - halfWidth),
    south: mercatorLatitude(y + halfHeight),
    east: wrap(centre.lng + halfWidth),
    north: mercatorLatitude(y - halfHeight),
  }
}

/** A wide picture leaves room for the text of its mail. */
const PICTURE_HEIGHT_SHARE = 0.75
export const NEIGHBOURHOOD_ZOOM = 13.5

/** Returns the box of a picture for a mail: that of the view without a strip above and below. */
export function pictureBox(view: DrawnView): Box {
  const { north, south, ...sides } = viewToBox(view)
  const { lat } = view.centre
  return { ...sides, south: lat - (lat - south) * PICTURE_HEIGHT_SHARE, north: lat + (north - lat) * PICTURE_HEIGHT_SHARE }
}

/** Returns the box of a map around a box, with more room than that of a place. */
export const boxAround = (box: Box, zoomMax = STREET_ZOOM - 1): Box => viewToBox(fitView(box, zoomMax, 0.75))

/** Returns the closest view that shows the whole box; by default that of the world. */
export function fitView({ west, south, east, north }: Box = WORLD, zoomMax = STREET_ZOOM, fitShare = FIT_SHARE): DrawnView {
  const width = (west > east ? east + 360 - west : east - west) / 360
  const [top, bottom] = [mercatorY(clamp(north, -LATITUDE_MAX, LATITUDE_MAX)), mercatorY(clamp(south, -LATITUDE_MAX, LATITUDE_MAX))]
  const share = Math.max(width, (bottom - top) / HEIGHT_RATIO, widthShare(ZOOM_MAX))
  const zoom = clamp(Math.floor(Math.log2((DRAWN_WIDTH * fitShare) / (WORLD_PIXELS * share)) * 10) / 10, ZOOM_MIN, zoomMax)
  return createView(zoom, { lng: west + (width * 360) / 2, lat: mercatorLatitude((top + bottom) / 2) })
}

/** Returns the point at fractions of the width and the height, from the top left corner. */
export function pointInView({ zoom, centre }: DrawnView, x: number, y: number): Point {
  const lng = centre.lng + (clamp(x, 0, 1) - 0.5) * widthShare(zoom) * 360
  const lat = mercatorLatitude(clamp(mercatorY(centre.lat) + (clamp(y, 0, 1) - 0.5) * heightShare(zoom), 0, 1))
  return { lng: round(wrap(lng)), lat: round(lat) }
}

/** Returns the position in the units of the drawing, which is `DRAWN_WIDTH` wide. */
export function pixelsInView({ zoom, centre }: DrawnView, { lng, lat }: Point): readonly [x: number, y: number] {
  const share = widthShare(zoom)
  const x = (0.5 + wrap(lng - centre.lng) / 360 / share) * DRAWN_WIDTH
  const y = DRAWN_HEIGHT / 2 + ((mercatorY(lat) - mercatorY(centre.lat)) / share) * DRAWN_WIDTH
  return [Math.round(x), Math.round(y)]
}

const steps: Readonly<Record<Move, { readonly zoom?: number; readonly x?: number; readonly y?: number }>> = {
  ...{ in: { zoom: 1 }, out: { zoom: -1 } },
  ...{ north: { y: -PAN_SHARE }, south: { y: PAN_SHARE }, west: { x: -PAN_SHARE }, east: { x: PAN_SHARE } },
}

export function moveView(view: DrawnView, move: Move): DrawnView {
  const { zoom = 0, x = 0, y = 0 } = steps[move]
  return createView(view.zoom + zoom, zoom === 0 ? pointInView(view, 0.5 + x, 0.5 + y) : view.centre)
}

/** Returns the view after a click: closer, unless it shows streets already. */
export const viewOfPoint = ({ zoom }: DrawnView, point: Point): DrawnView =>
  createView(zoom >= STREET_ZOOM ? zoom : Math.min(zoom + CLICK_ZOOM_STEP, STREET_ZOOM), point)

/** The form of the address of the map, `zoom/lat/lng`. */
const VIEW_PATTERN = '^\\d{1,2}(\\.\\d)?/-?\\d{1,2}(\\.\\d+)?/-?\\d{1,3}(\\.\\d+)?$'
const PIN_PATTERN = '^-?\\d{1,2}(\\.\\d+)?/-?\\d{1,3}(\\.\\d+)?$'

/** Returns the view, `zoom/lat/lng`, with which a report starts from a page whose map shows the box. */
export const reportViewOf = (box: Box): string => formatView(fitView(box))

export const formatView = ({ zoom, centre }: DrawnView): string => `${zoom}/${centre.lat}/${centre.lng}`
export const formatPin = ({ lat, lng }: Point): string => `${lat}/${lng}`

export function parseView(text: string): DrawnView | undefined {
  if (!new RegExp(VIEW_PATTERN).test(text)) return undefined
  const [zoom = 0, lat = 0, lng = 0] = text.split('/').map(Number)
  return isOnEarth({ lat, lng }) && zoom <= ZOOM_MAX && zoom >= ZOOM_MIN ? createView(zoom, { lat, lng }) : undefined
}

export function parsePin(text: string): Point | undefined {
  if (!new RegExp(PIN_PATTERN).test(text)) return undefined
  const [lat = 0, lng = 0] = text.split('/').map(Number)
  return isOnEarth({ lat, lng }) ? { lat, lng } : undefined
}

const isOnEarth = ({ lat, lng }: Point) => Math.abs(lat) <= 90 && Math.abs(lng) <= 180
