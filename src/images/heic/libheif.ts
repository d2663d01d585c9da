import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { MainModule } from 'libheif-js/libheif-wasm/libheif.js'

/** The package types the views of the memory as `any`. They are replaced when the memory grows. */
export type Libheif = Omit<MainModule, 'HEAPU8' | 'HEAPU32'> & { readonly HEAPU8: Uint8Array; readonly HEAPU32: Uint32Array }

const require = createRequire(import.meta.url)
const PAGE_BYTES = 65_536

interface EmscriptenOptions {
  readonly wasmBinary: Buffer
  readonly instantiateWasm: (imports: WebAssembly.Imports, receive: (instance: WebAssembly.Instance) => void) => object
}

/**
 * Loads libheif with a limit of its memory: beyond it an allocation fails inside of WebAssembly, which libheif reports as an error.
 * @param memoryMax bytes
 */
export function loadLibheif(memoryMax: number): Libheif {
  const create = require('libheif-js/libheif-wasm/libheif.js') as (options: EmscriptenOptions) => Libheif
  const wasmBinary = readFileSync(require.resolve('libheif-js/libheif-wasm/libheif.wasm'))
  return create({
    wasmBinary,
    instantiateWasm(imports, receive) {
      const instance = new WebAssembly.Instance(new WebAssembly.Module(wasmBinary), imports)
      for (const exported of Object.values(instance.exports))
        if (exported instanceof WebAssembly.Memory) limitMemory(exported, memoryMax)
      receive(instance)
      return instance.exports
    },
  })
}

/** The module itself declares a maximum of 2 GB. Its allocator grows the memory by a call of this method only. */
function limitMemory(memory: WebAssembly.Memory, bytesMax: number): void {
  const grow = memory.grow.bind(memory)
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * PAGE_BYTES > bytesMax) throw new RangeError('the decoder needs too much memory')
    return grow(pages)
  }
}
