import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createDeflate, deflateSync } from 'node:zlib'

export interface Pixels {
  readonly width: number
  readonly height: number
  /** 8 bits of red, green and blue, and of alpha if there are four channels. */
  readonly channels: 3 | 4
  /** Rows from top to bottom, each of `stride` bytes. */
  readonly rows: Uint8Array
  readonly stride: number
  /** An ICC profile. */
  readonly colourProfile?: Buffer
}

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const COLOUR_TYPES = { 3: 2, 4: 6 } as const
const IDAT_BYTES = 1_048_576

/** Writes an uncompressed PNG (ISO/IEC 15948) row by row. */
export async function writePng(path: string, pixels: Pixels): Promise<void> {
  // The file is read once and deleted, so compressing it would only take time.
  const compressor = createDeflate({ level: 0, chunkSize: IDAT_BYTES })
  await pipeline(
    Readable.from(filteredRows(pixels)),
    compressor,
    (compressed) => chunks(pixels, compressed),
    createWriteStream(path),
  )
}

function* filteredRows({ width, height, channels, rows, stride }: Pixels): Generator<Buffer> {
  for (let y = 0; y < height; y++) {
    const row = Buffer.alloc(1 + width * channels)
    row.set(rows.subarray(y * stride, y * stride + width * channels), 1)
    yield row
  }
}

async function* chunks(
  { width, height, channels, colourProfile }: Pixels,
  compressed: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, COLOUR_TYPES[channels]], 8)
  yield Buffer.concat([SIGNATURE, chunk('IHDR', header)])
  if (colourProfile) yield chunk('iCCP', Buffer.concat([Buffer.from('icc\0\0', 'latin1'), deflateSync(colourProfile)]))
  for await (const data of compressed) yield chunk('IDAT', data)
  yield chunk('IEND', Buffer.alloc(0))
}

function chunk(type: string, data: Buffer): Buffer {
  const bytes = Buffer.alloc(12 + data.length)
  bytes.writeUInt32BE(data.length, 0)
  bytes.write(type, 4, 'latin1')
  bytes.set(data, 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length)
  return bytes
}
