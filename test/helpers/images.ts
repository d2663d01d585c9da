import sharp from 'sharp'
import { crc32, deflateSync } from 'node:zlib'

import { cameraExif, cameraMarkers } from './exif.ts'
import { heicBox, redAndBlue } from './heic.ts'

/* Images with a marker in every place where cameras and programs write metadata. */

interface ImageWithMetadata {
  readonly name: string
  readonly bytes: Buffer
  readonly markers: readonly string[]
}

const plain = (width = 60, height = 40) =>
  sharp({ create: { width, height, channels: 3, background: 'white', noise: { type: 'gaussian', mean: 128, sigma: 30 } } })

const exif = {
  IFD0: { Make: 'PLANT-make', Model: 'PLANT-model', Copyright: 'PLANT-owner' },
  IFD2: { BodySerialNumber: 'PLANT-serial', UserComment: 'PLANT-comment' },
  IFD3: {
    GPSLatitudeRef: 'N',
    GPSLatitude: '39/1 44/1 21/1',
    GPSLongitudeRef: 'W',
    GPSLongitude: '104/1 59/1 25/1',
    GPSMapDatum: 'PLANT-gps',
  },
} as const
const exifMarkers = Object.values(exif).flatMap((group) => Object.values(group).filter((value) => value.startsWith('PLANT-')))
const xmp =
  '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description dc:creator="PLANT-xmp" xmlns:dc="http://purl.org/dc/elements/1.1/"/></rdf:RDF></x:xmpmeta>'

/** Returns one image of each kind. Its bytes contain every string of `markers` unencoded. */
export async function imagesWithMetadata(): Promise<ImageWithMetadata[]> {
  const jpeg = await plain().withExif(exif).withXmp(xmp).jpeg().toBuffer()
  const png = await plain().withExif(exif).png().toBuffer()
  const gif = await plain().gif().toBuffer()
  const webp = await plain().withExif(exif).withXmp(xmp).webp().toBuffer()
  const thumbnail = Buffer.concat([Buffer.from('PLANT-thumbnail'), await plain(16, 16).jpeg().toBuffer()])
  const camera = cameraExif(await markedThumbnail())
  const bare = await plain().jpeg().toBuffer()
  const barePng = await plain().png().toBuffer()
  return [
    {
      name: 'a JPEG with EXIF, XMP, IPTC, ICC, segments of makers, thumbnails, a comment and an appendix',
      bytes: Buffer.concat([
        jpeg.subarray(0, 2),
        jpegSegment(0xe1, makerNote('PLANT-maker-note')),
        jpegSegment(0xe0, Buffer.concat([Buffer.from('JFXX\0\x10', 'latin1'), thumbnail])),
        jpegSegment(
          0xe1,
          Buffer.from(`http://ns.adobe.com/xmp/extension/\0${'0'.repeat(32)}\0\0\0\x20\0\0\0\0PLANT-more-xmp`, 'latin1'),
        ),
        jpegSegment(0xe2, Buffer.from('ICC_PROFILE\0\x01\x01PLANT-icc', 'latin1')),
        jpegSegment(0xe2, Buffer.from('MPF\0PLANT-mpf', 'latin1')),
        ...appSegments.map((marker) => jpegSegment(marker, Buffer.from(`MAKER\0PLANT-app${marker}`, 'latin1'))),
        jpegSegment(0xed, Buffer.concat([Buffer.from('Photoshop 3.0\0' + '8BIM\x04\x04\0\0', 'latin1'), iptc('PLANT-iptc')])),
        jpegSegment(0xee, thumbnail),
        jpegSegment(0xfe, Buffer.from('PLANT-com')),
        jpeg.subarray(2),
        Buffer.from('PLANT-appendix'),
      ]),
      markers: [
        ...exifMarkers,
        'PLANT-maker-note',
        ...appSegments.map((marker) => `PLANT-app${marker}`),
        ...[
          'PLANT-xmp',
          'PLANT-more-xmp',
          'PLANT-icc',
          'PLANT-mpf',
          'PLANT-iptc',
          'PLANT-thumbnail',
          'PLANT-com',
          'PLANT-appendix',
        ],
      ],
    },
    {
      name: 'a PNG with EXIF, XMP, ICC, texts plain and packed, a time and an appendix',
      bytes: Buffer.concat([
        png.subarray(0, 33),
        pngChunk('tEXt', 'Author\0PLANT-text'),
        pngChunk('iTXt', 'Comment\0\0\0\0\0PLANT-itext'),
        pngChunk('iTXt', `XML:com.adobe.xmp\0\0\0\0\0${xmp}`),
        pngChunk('zTXt', `Software\0\0${deflated('PLANT-ztext')}`),
        pngChunk('iTXt', `Author\0\x01\0\0\0${deflated('PLANT-packed')}`),
        pngChunk('iCCP', `PLANT-profile\0\0${deflated('PLANT-icc')}`),
        // The block has the length of a timestamp: year, month, day, hour, minute and second.
        pngChunk('tIME', 'PLANT-@'),
        pngChunk('caBX', 'PLANT-c2pa'),
        pngChunk('prVt', 'PLANT-private'),
        png.subarray(33),
        Buffer.from('PLANT-appendix'),
      ]),
      markers: [
        ...exifMarkers,
        ...['PLANT-xmp', 'PLANT-text', 'PLANT-itext', 'PLANT-ztext', 'PLANT-packed', 'PLANT-profile', 'PLANT-icc'],
        ...['PLANT-@', 'PLANT-c2pa', 'PLANT-private', 'PLANT-appendix'],
      ],
    },
    {
      name: 'a GIF with a comment, application blocks, XMP and an appendix',
      bytes: Buffer.concat([
        gif.subarray(0, firstBlockOffset(gif)),
        Buffer.concat([Buffer.from([0x21, 0xfe]), gifBlock('PLANT-gif'), Buffer.from([0])]),
        Buffer.concat([Buffer.from([0x21, 0xff]), gifBlock('MAKER   1.0'), gifBlock('PLANT-app'), Buffer.from([0])]),
        Buffer.concat([Buffer.from([0x21, 0xff]), gifBlock('ICCRGBG1012'), gifBlock('PLANT-icc'), Buffer.from([0])]),
        // XMP has no blocks; its trailer leads every reader to its end.
        Buffer.concat([Buffer.from([0x21, 0xff]), gifBlock('XMP DataXMP'), Buffer.from(xmp), gifXmpTrailer]),
        gif.subarray(firstBlockOffset(gif)),
        Buffer.from('PLANT-appendix'),
      ]),
      markers: ['PLANT-gif', 'PLANT-app', 'PLANT-icc', 'PLANT-xmp', 'PLANT-appendix'],
    },
    {
      name: 'a JPEG of a camera: place, serial numbers and note of the maker in numbers, and the small picture in EXIF',
      bytes: Buffer.concat([
        bare.subarray(0, 2),
        jpegSegment(0xe1, Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), camera])),
        bare.subarray(2),
      ]),
      markers: [...cameraMarkers, 'PLANT-small-picture'],
    },
    {
      name: 'a PNG with all that a camera writes',
      bytes: Buffer.concat([barePng.subarray(0, 33), pngChunk('eXIf', camera.toString('latin1')), barePng.subarray(33)]),
      markers: [...cameraMarkers, 'PLANT-small-picture'],
    },
    {
      name: 'a WebP with EXIF, XMP, an unknown chunk and an appendix',
      bytes: Buffer.concat([
        withRiffLength(Buffer.concat([webp, riffChunk('PLNT', 'PLANT-chunk')])),
        Buffer.from('PLANT-appendix'),
      ]),
      markers: [...exifMarkers, 'PLANT-xmp', 'PLANT-chunk', 'PLANT-appendix'],
    },
    {
      name: 'a HEIC with EXIF, other boxes and an appendix',
      bytes: Buffer.concat([
        redAndBlue(),
        heicBox('free', 'PLANT-free'),
        heicBox('uuid', 'PLANT-uuid-0123456'),
        heicBox('skip', 'PLANT-appendix'),
      ]),
      markers: ['PLANT-make', 'PLANT-gps', 'PLANT-free', 'PLANT-uuid', 'PLANT-appendix'],
    },
  ]
}

async function markedThumbnail(): Promise<Buffer> {
  const small = await plain(16, 16).jpeg().toBuffer()
  return Buffer.concat([small.subarray(0, 2), jpegSegment(0xfe, Buffer.from('PLANT-small-picture')), small.subarray(2)])
}

export function riffChunk(type: string, data: string): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(data.length)
  return Buffer.concat([Buffer.from(type), length, Buffer.from(data, 'latin1'), Buffer.alloc(data.length % 2)])
}

/** Corrects the length of a WebP to which chunks were added. */
export function withRiffLength(webp: Buffer): Buffer {
  webp.writeUInt32LE(webp.length - 8, 4)
  return webp
}

export function jpegSegment(marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(data.length + 2, 2)
  return Buffer.concat([head, data])
}

/** IPTC record 2, data set 80: the by-line. */
function iptc(byLine: string): Buffer {
  const data = Buffer.concat([Buffer.from([0x1c, 2, 80, 0, byLine.length]), Buffer.from(byLine)])
  const size = Buffer.alloc(4)
  size.writeUInt32BE(data.length)
  return Buffer.concat([size, data])
}

export function pngChunk(type: string, text: string): Buffer {
  const body = Buffer.from(type + text, 'latin1')
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  size.writeUInt32BE(text.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([size, body, sum])
}

/** Returns a second EXIF block (big-endian TIFF). Its only entry is the tag 0x927c; the bytes follow the entry. */
function makerNote(text: string): Buffer {
  const directory = Buffer.from([0, 1, 0x92, 0x7c, 0, 7, 0, 0, 0, text.length, 0, 0, 0, 26, 0, 0, 0, 0])
  return Buffer.concat([Buffer.from('Exif\0\0MM\0*\0\0\0\x08', 'latin1'), directory, Buffer.from(text)])
}

/** Level 0 stores the text uncompressed, so that a search finds it. */
const deflated = (text: string) => deflateSync(text, { level: 0 }).toString('latin1')

/** APP3 to APP12, which have no standard content. */
const appSegments = [0xe3, 0xe4, 0xe5, 0xea, 0xeb, 0xec]

const gifXmpTrailer = Buffer.from([1, ...Array.from({ length: 256 }, (_, n) => 255 - n), 0])

const gifBlock = (text: string) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)])

/** Returns the offset of the first block, after the header and the global color table, whose size is in the header. */
const firstBlockOffset = (gif: Buffer) => 13 + ((gif[10] ?? 0) & 0x80 ? 3 * 2 ** (((gif[10] ?? 0) & 7) + 1) : 0)

/** Returns a PNG of this size without valid pixels. `kind` has bits per channel, colour type, compression, filter and interlacing. */
export function pngBomb(width: number, height: number, { kind = '\x08\x02\0\0\0', data = '' } = {}): Buffer {
  const size = Buffer.alloc(8)
  size.writeUInt32BE(width)
  size.writeUInt32BE(height, 4)
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([signature, pngChunk('IHDR', size.toString('latin1') + kind), pngChunk('IDAT', data), pngChunk('IEND', '')])
}

/** Returns a GIF with many frames of this size and few bytes: each frame ends after its first pixels. */
export function animatedGif(width: number, height: number, frames: number): Buffer {
  const screen = Buffer.from('GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1')
  screen.writeUInt16LE(width, 6)
  screen.writeUInt16LE(height, 8)
  // Each frame lasts a tenth of a second, covers the whole screen and has a table of four codes.
  const frame = Buffer.from('!\xf9\x04\0\x0a\0\0\0,\0\0\0\0\0\0\0\0\0\x02\x02\x44\x01\0', 'latin1')
  frame.writeUInt16LE(width, 13)
  frame.writeUInt16LE(height, 15)
  return Buffer.concat([screen, Buffer.alloc(frame.length * frames, frame), Buffer.from(';')])
}

/** Adds 60 texts of 45 MB to a PNG, each compressed to some kilobytes. */
export function textBomb(png: Buffer): Buffer {
  const text = pngChunk('zTXt', `Comment\0\0${deflateSync(Buffer.alloc(45_000_000)).toString('latin1')}`)
  return Buffer.concat([png.subarray(0, 33), ...Array<Buffer>(60).fill(text), png.subarray(33)])
}
