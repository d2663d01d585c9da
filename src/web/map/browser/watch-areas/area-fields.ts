import type { Polygon } from 'geojson'

import type { Corner } from './polygon.ts'

/* The fields of the form that hold the area. One form of an area is filled at a time. */

const names = ['area', 'lat', 'lng', 'radius', 'place_url', 'min_lat', 'min_lng', 'max_lat', 'max_lng'] as const
type Name = (typeof names)[number]
export type AreaValues = Readonly<Partial<Record<Name, string>>>

const DECIMALS = 6

export interface AreaFields {
  readonly values: AreaValues
  set(values: AreaValues): void
}

export function openAreaFields(form: HTMLFormElement, onChange: () => void): AreaFields {
  const field = (name: Name) => form.elements.namedItem(name) as HTMLInputElement | HTMLTextAreaElement
  return {
    get values() {
      const entries = names.map((name) => [name, field(name).value.trim()]).filter(([, value]) => value !== '')
      return Object.fromEntries(entries) as AreaValues
    },
    set(values) {
      for (const name of names) field(name).value = values[name] ?? ''
      onChange()
    },
  }
}

export const polygonValues = (polygon: Polygon | undefined): AreaValues => (polygon ? { area: JSON.stringify(polygon) } : {})

export const circleValues = ({ lat, lng }: Corner, metres: number): AreaValues => ({
  lat: lat.toFixed(DECIMALS),
  lng: lng.toFixed(DECIMALS),
  radius: String(metres),
})

export const hasArea = (values: AreaValues) => Object.keys(values).some((name) => name !== 'radius')
