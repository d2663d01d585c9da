import { open } from 'node:fs/promises'
import { text } from '../../locales/texts.ts'
import { ImageRefused } from './image-refused.ts'

export type StrippedFormat = 'jpeg' | 'png' | 'gif' | 'webp'
export type SourceFormat = StrippedFormat | 'heic'

const HEAD_BYTES = 12

const signatures: readonly (readonly [SourceFormat, RegExp])[] = [
  ['jpeg', /^\xff\xd8\xff/],
  ['png', /^\x89PNG\r\n/],
  ['gif', /^GIF8[79]a/],
  ['webp', /^RIFF[^]{4}WEBP/],
  // The brands of one picture coded with HEVC (ISO/IEC 23008-12). Sequences have others, and so has AVIF.
  ['heic', /^[^]{4}ftyp(?:hei[cxms]|mif1)/],
]

/** Returns the format by the first bytes of a file. @throws ImageRefused if it is none of the accepted formats */
export async function detectFormat(path: string): Promise<SourceFormat> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
  const head = buffer.toString('latin1', 0, bytesRead)
  const [format] = signatures.find(([, signature]) => signature.test(head)) ?? []
  if (!format) throw new ImageRefused(text('must_be', { allowed: text('picture') }))
  return format
}
