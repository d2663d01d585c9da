import type { Feature, Layer } from '../../gis/downloads/writer.ts'

/** Returns a function that reads values of a feature as text by the name of their column; null and unknown columns are empty. */
export function valueReader({ columns }: Layer): (feature: Feature) => (name: string) => string {
  const positions = new Map(columns.map(({ name }, position) => [name, position]))
  return ({ values }) =>
    (name) => {
      const position = positions.get(name)
      return position === undefined ? '' : String(values[position] ?? '')
    }
}
