export type SymbolLookup = (...pointers: number[]) => number

/**
 * Emscripten's dlsym lists all 23,000 symbols of the library at each call, which takes four milliseconds for every function of PostGIS
 * that a session uses first, and six seconds of CREATE EXTENSION. This lists them once.
 */
export function rememberKeys(lookUp: SymbolLookup): SymbolLookup {
  const known = new WeakMap<object, string[]>()
  return (...pointers) => {
    const { keys } = Object
    Object.keys = (value: object) => {
      const listed = known.get(value) ?? keys(value)
      known.set(value, listed)
      return listed
    }
    try {
      return lookUp(...pointers)
    } finally {
      Object.keys = keys
    }
  }
}
