import type { Extension } from '@electric-sql/pglite'
import { postgis as packaged } from '@electric-sql/pglite-postgis'
import { dirname } from 'node:path/posix'

import { readNeededFiles } from './needed-files.ts'
import { rememberKeys, type SymbolLookup } from './symbol-lookup.ts'

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
