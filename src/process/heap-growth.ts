import { setFlagsFromString } from 'node:v8'

/**
 * Lets V8 collect garbage when the heap has grown by half since the last full collection. By default it may grow to several times its
 * size, and a download that creates 100 MB of garbage a second would need 400 MB.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString('--heap-growing-percent=50')
}
