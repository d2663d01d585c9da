import Type from 'typebox'

import { text } from '../../locales/texts.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Fields for files, such as `answers[*]` for any key, which may also be that of a list. A file in another field of the schema is 422. */
    files?: readonly string[]
  }
}

export const UPLOAD_BYTES_MAX = 20 * 1024 * 1024

/** A received file, unchecked except for its length. It is deleted after the response, so a route that keeps it must copy it. */
export class Upload {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
  /** Name from the client, at most 255 characters. It is for display and must not become a path. */
  readonly filename: string
  /** The `clientKey` of the sender, whose files are decoded in turn; undefined for a stored file. */
  readonly client: string | undefined

  constructor({ path, bytes, sha256, filename, client }: Pick<Upload, 'path' | 'bytes' | 'sha256' | 'filename' | 'client'>) {
    this.path = path
    this.bytes = bytes
    this.sha256 = sha256
    this.filename = filename
    this.client = client
  }
}

/** The route must also name the field in `config.files`. */
export const UploadedFile = (options: Readonly<Record<string, unknown>> = {}) =>
  Type.Unsafe<Upload>({ 'x-upload': true, 'x-allowed': text('uploaded_file'), ...options })

export const uploadKeyword = { keyword: 'x-upload', validate: (_schema: unknown, data: unknown) => data instanceof Upload }

export function acceptsFile(fields: readonly string[], name: string): boolean {
  return fields.some((field) => (field.endsWith('[*]') ? isKeyOf(field.slice(0, -2), name) : field === name))
}

const isKeyOf = (start: string, name: string) => name.startsWith(start) && /^[^[\]]+\](\[\])?$/.test(name.slice(start.length))
