import Type from 'typebox'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The fields of this route in which a form may bring a file: `config: { files: ['image', 'answers[*]'] }`, where `[*]` is any one key.
     * There an `Upload` stands in the body. In other fields of its schema a file is 422; in fields that it does not know a file is ignored.
     */
    files?: readonly string[]
  }
}

/** Of each file: 20 MB. */
export const UPLOAD_BYTES_MAX = 20 * 1024 * 1024

/**
 * A file that came with the body, as it came: nothing of it has been checked but its length. It is gone when the request is answered, so
 * whoever wants to keep it copies it before that.
 */
export class Upload {
  /** A temporary file of this request. */
  readonly path: string
  readonly bytes: number
  /** Hexadecimal. */
  readonly sha256: string
  /** As the client says, at most 255 characters: for people to read, never for a path. */
  readonly filename: string

  constructor({ path, bytes, sha256, filename }: Pick<Upload, 'path' | 'bytes' | 'sha256' | 'filename'>) {
    this.path = path
    this.bytes = bytes
    this.sha256 = sha256
    this.filename = filename
  }
}

/** A field of a body's schema that holds a file; the route names it in `config.files`, too. In OpenAPI it is a binary string. */
export const UploadedFile = (options: Readonly<Record<string, unknown>> = {}) =>
  Type.Unsafe<Upload>({ 'x-upload': true, 'x-allowed': 'a file, sent as multipart/form-data', ...options })

/** Teaches Ajv what `UploadedFile` means. */
export const uploadKeyword = { keyword: 'x-upload', validate: (_schema: unknown, data: unknown) => data instanceof Upload }

/** Whether a route that names `files` takes one in the field of this name. */
export function takesFile(files: readonly string[], name: string): boolean {
  return files.some((file) => (file.endsWith('[*]') ? isOneKeyOf(file.slice(0, -2), name) : file === name))
}

const isOneKeyOf = (start: string, name: string) => name.startsWith(start) && /^[^[\]]+\]$/.test(name.slice(start.length))
