import type { PlaceRow } from '../../places/queries.ts'

type NamedPlace = Pick<PlaceRow, 'name' | 'county' | 'state'>

/** Returns for example 'Springfield, Greene County, MO', without unknown or repeated parts. */
export const fullPlaceName = ({ name, county, state }: NamedPlace): string =>
  [name, county === name ? null : county, state].filter(Boolean).join(', ')

/** Returns a function that names the places of a list: those of one name by their county and state, too. */
export function placeNamesAmong(places: readonly NamedPlace[]): (place: NamedPlace) => string {
  const counts = Map.groupBy(places, ({ name }) => name)
  return (place) => ((counts.get(place.name)?.length ?? 0) > 1 ? fullPlaceName(place) : place.name)
}
