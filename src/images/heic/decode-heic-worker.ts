import { readFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'

import { COLOUR_PROFILE_MAX } from '../strip-metadata/image-refused.ts'
import { type Libheif, loadLibheif } from './libheif.ts'
import { type Pixels, writePng } from './png-file.ts'

class TooManyPixels extends Error {}

/** Constants of libheif's header heif.h. */
const COLORSPACE_RGB = 1
const CHROMA = { 3: 10, 4: 11 } as const
const CHANNEL_INTERLEAVED = 10
/** Size of the structure `heif_error`: code, subcode and the address of a message. */
const ERROR_BYTES = 12

/**
 * Decodes the primary image of a HEIF file, upright. The result is a view of the memory of `libheif`, which is not freed: use one instance
 * per image. Other images of the file, its EXIF and its XMP are never read.
 * @throws TooManyPixels before any pixel is decoded; Error if the file is invalid, has another codec or needs too much memory
 */
function decodePrimaryImage(libheif: Libheif, file: Buffer, pixelsMax: number): Pixels {
  const error = libheif._malloc(ERROR_BYTES)
  const result = libheif._malloc(4)
  const read = (address: number) => libheif.HEAPU32[address >> 2] ?? 0
  const check = () => {
    if (read(error) !== 0) throw new Error(`libheif: error ${read(error)}, ${read(error + 4)}`)
  }

  const context = libheif._heif_context_alloc()
  // This limits also what a derived image is made from, and what the coded picture says itself. It is the width of a square.
  libheif._heif_context_set_maximum_image_size_limit(context, Math.floor(Math.sqrt(pixelsMax)))
  const source = libheif._malloc(file.length)
  if (source === 0) throw new Error('libheif: no memory for the file')
  libheif.HEAPU8.set(file, source)
  libheif._heif_context_read_from_memory_without_copy(error, context, source, file.length, 0)
  check()
  libheif._heif_context_get_primary_image_handle(error, context, result)
  check()
  const handle = read(result)
  if (libheif._heif_image_handle_get_width(handle) * libheif._heif_image_handle_get_height(handle) > pixelsMax)
    throw new TooManyPixels()

  const channels = libheif._heif_image_handle_has_alpha_channel(handle) ? 4 : 3
  libheif._heif_decode_image(error, handle, result, COLORSPACE_RGB, CHROMA[channels], 0)
  check()
  const image = read(result)
  const plane = libheif._heif_image_get_plane_readonly(image, CHANNEL_INTERLEAVED, result)
  const stride = read(result)
  const width = libheif._heif_image_get_width(image, CHANNEL_INTERLEAVED)
  const height = libheif._heif_image_get_height(image, CHANNEL_INTERLEAVED)
  if (plane === 0 || width < 1 || height < 1 || stride < width * channels) throw new Error('libheif: no pixels')
  const colourProfile = readColourProfile(libheif, handle, error)
  // The view is made last, because memory that grows gets a new buffer.
  const rows = libheif.HEAPU8.subarray(plane, plane + stride * height)
  return { width, height, channels, rows, stride, ...(colourProfile ? { colourProfile } : {}) }
}

function readColourProfile(libheif: Libheif, handle: number, error: number): Buffer | undefined {
  const bytes = libheif._heif_image_handle_get_raw_color_profile_size(handle)
  if (bytes === 0 || bytes > COLOUR_PROFILE_MAX) return undefined
  const profile = libheif._malloc(bytes)
  if (profile === 0) return undefined
  libheif._heif_image_handle_get_raw_color_profile(error, handle, profile)
  return Buffer.from(libheif.HEAPU8.subarray(profile, profile + bytes))
}

export interface WorkerInput {
  readonly from: string
  readonly to: string
  readonly pixelsMax: number
  /** Limit of the memory of WebAssembly in bytes; `resourceLimits` do not include it. */
  readonly memoryMax: number
}

export type WorkerResult = 'decoded' | 'too many pixels' | 'damaged'

/** Entry of the worker thread: writes the primary image as PNG. */
const { from, to, pixelsMax, memoryMax } = workerData as WorkerInput
const file = readFileSync(from)
const libheif = loadLibheif(memoryMax)
const decoded = decode()
if (typeof decoded === 'object') await writePng(to, decoded)
parentPort?.postMessage((typeof decoded === 'object' ? 'decoded' : decoded) satisfies WorkerResult)

/** WebAssembly that is aborted or reads beyond its memory throws as well. */
function decode(): Pixels | WorkerResult {
  try {
    return decodePrimaryImage(libheif, file, pixelsMax)
  } catch (error) {
    return error instanceof TooManyPixels ? 'too many pixels' : 'damaged'
  }
}
