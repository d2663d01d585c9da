import type { Extension } from '@electric-sql/pglite'
import { postgis as packaged } from '@electric-sql/pglite-postgis'
import { dirname } from 'node:path/posix'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

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

/** The library, the definitions of coordinate systems, and what CREATE EXTENSION reads. */
const NEEDED =
  /^(lib\/postgresql\/postgis-\d+\.so|share\/proj\/.*[^/]|share\/postgresql\/extension\/postgis(--[\d.]+\.sql|\.control))$/
const TAR_BLOCK = 512
/** Thousands of chunks of the default size would cost as much as the decompression. */
const CHUNK_BYTES = 1 << 20

interface TarFile {
  readonly name: string
  readonly bytes: Uint8Array
}

let neededFiles: Promise<TarFile[]> | undefined

/** All engines of a process share the bytes, which none changes. */
function readNeededFiles(bundle: URL): Promise<TarFile[]> {
  neededFiles ??= readFile(bundle)
    .then((compressed) => promisify(gunzip)(compressed, { chunkSize: CHUNK_BYTES }))
    .then((tar) => [...filesIn(tar)].filter(({ name }) => NEEDED.test(name)))
    // A copy, because a part of the buffer would keep all of it.
    .then((files) => files.map(({ name, bytes }) => ({ name, bytes: Uint8Array.from(bytes) })))
  return neededFiles
}

/** Reads the fields name and size of each header (POSIX ustar). */
function* filesIn(tar: Buffer): Generator<TarFile> {
  let at = 0
  while (at < tar.length && tar[at] !== 0) {
    const name = tar.toString('latin1', at, tar.indexOf(0, at))
    const size = Number.parseInt(tar.toString('latin1', at + 124, at + 135), 8)
    at += TAR_BLOCK
    yield { name, bytes: tar.subarray(at, at + size) }
    at += Math.ceil(size / TAR_BLOCK) * TAR_BLOCK
  }
}
