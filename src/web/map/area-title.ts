import type { Language } from '../../errors/texts/languages.ts'
import { formatDistance } from '../../html/local-format.ts'
import type { OwnRow } from '../../watch-areas/own-queries.ts'
import { areaTitleTexts } from './area-title-texts.ts'

/** Returns the name of a watch area, or a description. */
export function watchAreaTitle({ name, kind, place_name, ...row }: OwnRow, language: Language): string {
  const texts = areaTitleTexts[language]
  if (name !== null) return name
  switch (kind) {
    case 'place':
      return place_name ?? texts.place
    case 'circle':
      return texts.aroundPoint(formatRadius(row, language))
    case 'box':
      return texts.box
    case 'polygon':
      return texts.polygon
  }
}

export function describeKind({ kind, place_name, ...row }: OwnRow, language: Language): string {
  const { kinds } = areaTitleTexts[language]
  switch (kind) {
    case 'place':
      return place_name === null ? kinds.somePlace : kinds.place(place_name)
    case 'circle':
      return kinds.circle(formatRadius(row, language))
    case 'box':
      return kinds.box
    case 'polygon':
      return kinds.polygon
  }
}

/** A table constraint guarantees the numbers of a circle. */
function formatRadius({ radius_m, lng, lat }: Pick<OwnRow, 'radius_m' | 'lng' | 'lat'>, language: Language): string {
  const centre = lng === null || lat === null ? undefined : { lng, lat }
  return formatDistance(radius_m ?? 0, language, centre)
}
