export type Value = string | number | boolean | null | readonly Value[] | { readonly [name: string]: Value }

/** A response of GeoReport v2: JSON is the value alone, XML has a root element around it. */
export interface Document {
  readonly root: string
  readonly value: Value
}
