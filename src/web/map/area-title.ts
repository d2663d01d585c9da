import type { Texts } from '../../locales/texts.ts'
import { formatDistance } from '../../html/local-format.ts'
import type { OwnRow } from '../../watch-areas/own-queries.ts'

/** Returns the name of a watch area, or a description. */
export function watchAreaTitle({ name, kind, place_name, ...row }: OwnRow, texts: Texts): string {
  if (name !== null) return name
  switch (kind) {
    case 'place':
      return place_name ?? texts('areaTitle.place')
    case 'circle':
      return texts('areaTitle.aroundPoint', { distance: formatRadius(row, texts) })
    case 'box':
      return texts('areaTitle.box')
    case 'polygon':
      return texts('areaTitle.polygon')
  }
}

export function describeKind({ kind, place_name, ...row }: OwnRow, texts: Texts): string {
  switch (kind) {
    case 'place':
      return place_name === null ? texts('areaTitle.kinds.somePlace') : texts('areaTitle.kinds.place', { name: place_name })
    case 'circle':
      return texts('areaTitle.kinds.circle', { distance: formatRadius(row, texts) })
    case 'box':
      return texts('areaTitle.kinds.box')
    case 'polygon':
      return texts('areaTitle.kinds.polygon')
  }
}

/** A table constraint guarantees the numbers of a circle. */
function formatRadius({ radius_m, lng, lat }: Pick<OwnRow, 'radius_m' | 'lng' | 'lat'>, texts: Texts): string {
  const centre = lng === null || lat === null ? undefined : { lng, lat }
  return formatDistance(radius_m ?? 0, texts, centre)
}
