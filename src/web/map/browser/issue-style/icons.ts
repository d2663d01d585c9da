/* The images of issues and clusters. */

/** Returns a colour of the style sheet by its name. */
export type Colour = (name: string) => string

export const statuses = ['open', 'acknowledged', 'closed', 'archived'] as const
export type Status = (typeof statuses)[number]

export const CLUSTER_RADIUS_MAX = 32
const ICON_PIXELS = 22

/** The ring around the circle of a cluster shows the share of open issues by its length, clockwise from the top. */
export function drawCluster(share: number, colour: Colour): ImageData {
  const size = CLUSTER_RADIUS_MAX * 4
  const edge = 4
  const width = 14
  const canvas = Object.assign(document.createElement('canvas'), { width: size, height: size })
  const context = canvas.getContext('2d') as CanvasRenderingContext2D
  context.translate(size / 2, size / 2)
  addDisc(context, size / 2, colour('card'))
  addDisc(context, size / 2 - edge - width, colour('accent'))
  context.lineWidth = width
  for (const [name, part] of [
    ['line', 1],
    ['open', share],
  ] as const) {
    context.strokeStyle = colour(name)
    context.beginPath()
    context.arc(0, 0, (size - width) / 2 - edge, -Math.PI / 2, 2 * Math.PI * part - Math.PI / 2)
    context.stroke()
  }
  return context.getImageData(0, 0, size, size)
}

function addDisc(context: CanvasRenderingContext2D, radius: number, fill: string): void {
  context.fillStyle = fill
  context.beginPath()
  context.arc(0, 0, radius, 0, 2 * Math.PI)
  context.fill()
}

/** The style sheet has the same shapes (src/html/style/status.css), and so does the drawn map (src/web/map/drawn/map-svg.ts). Open is a circle, Acknowledged a diamond, Closed a square with a check mark, Archived a small square. */
export function drawIcon(status: Status, colour: Colour): ImageData {
  const size = ICON_PIXELS * 2
  const canvas = Object.assign(document.createElement('canvas'), { width: size, height: size })
  const context = canvas.getContext('2d') as CanvasRenderingContext2D
  const middle = size / 2
  context.translate(middle, middle)
  context.fillStyle = colour(status)
  context.strokeStyle = colour('card')
  context.lineWidth = 4
  context.beginPath()
  if (status === 'open') context.arc(0, 0, middle - 6, 0, 2 * Math.PI)
  else if (status === 'acknowledged') addDiamond(context, middle - 3)
  else addSquare(context, status === 'closed' ? middle - 8 : middle - 13)
  context.fill()
  context.stroke()
  if (status === 'closed') drawCheckMark(context)
  return context.getImageData(0, 0, size, size)
}

function addDiamond(context: CanvasRenderingContext2D, radius: number): void {
  context.moveTo(0, -radius)
  context.lineTo(radius, 0)
  context.lineTo(0, radius)
  context.lineTo(-radius, 0)
  context.closePath()
}

function addSquare(context: CanvasRenderingContext2D, radius: number): void {
  context.rect(-radius, -radius, 2 * radius, 2 * radius)
}

function drawCheckMark(context: CanvasRenderingContext2D): void {
  context.beginPath()
  context.moveTo(-7, 0)
  context.lineTo(-2, 6)
  context.lineTo(8, -6)
  context.stroke()
}
