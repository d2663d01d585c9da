import type { Extension } from '@electric-sql/pglite'
import { postgis as packaged } from '@electric-sql/pglite-postgis'
import { dirname } from 'node:path/posix'

import { readNeededFiles } from './needed-files.ts'

/**
 * PostGIS without raster, topology and upgrades. The extension of the package compiles all three libraries at each start, which takes
 * more than a second and 500 MB.
 */
export const postgis: Extension = {
  name: packaged.name,
  async setup(pglite, options) {
    const whole = await packaged.setup(pglite, options)
    const module = whole.emscriptenOpts as EmscriptenModule
    const files = await readNeededFiles(whole.bundlePath)
    const write = ({ FS, WASM_PREFIX }: EmscriptenModule) => {
      for (const { name, bytes } of files) {
        const path = `${WASM_PREFIX}/${name}`
        FS.mkdirTree(dirname(path))
        FS.writeFile(path, bytes, { canOwn: true })
      }
    }
    const instantiateWasm: EmscriptenModule['instantiateWasm'] = ({ env, ...imports }, done) =>
      module.instantiateWasm({ ...imports, env: { ...env, _dlsym_js: rememberKeys(env['_dlsym_js'] as SymbolLookup) } }, done)
    return { emscriptenOpts: { ...module, instantiateWasm, preRun: [...module.preRun, write] } }
  },
}

/** The part of the module that is used; the package has no types for it. */
interface EmscriptenModule {
  readonly WASM_PREFIX: string
  readonly preRun: readonly unknown[]
  instantiateWasm(imports: WebAssembly.Imports & { env: WebAssembly.ModuleImports }, done: unknown): unknown
  readonly FS: {
    mkdirTree(path: string): void
    writeFile(path: string, bytes: Uint8Array, options: { canOwn: boolean }): void
  }
}

type SymbolLookup = (...pointers: number[]) => number

/**
 * Emscripten's dlsym lists all 23,000 symbols of the library at each call, which takes four milliseconds for every function of PostGIS
 * that a session uses first, and six seconds of CREATE EXTENSION. This lists them once.
 */
function rememberKeys(lookUp: SymbolLookup): SymbolLookup {
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
