import multipart, { type MultipartFile } from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { text } from '../../locales/texts.ts'
import { decodeUtf8, withBodyTimeout } from '../request/slow-body-timeout.ts'
import { authenticateByFields } from '../auth/form-token.ts'
import { parseJson, FIELDS_MAX, nestFields } from '../validation/bodies.ts'
import { Problem, problems } from '../../errors/problems.ts'
import type { ObjectSchema } from '../validation/input-transforms.ts'
import { addUploadFolders } from './upload-folders.ts'
import { clientKey } from '../request/client-address.ts'
import { acceptsFile, Upload, UPLOAD_BYTES_MAX } from '../request/upload.ts'
import { invalid } from '../validation/validation.ts'

const FILES_MAX = 5
/** Limit in bytes for the names and values of all fields together. */
const FIELDS_BYTES_MAX = 1024 * 1024
const NAME_MAX = 1_000
const FILENAME_MAX = 255
const BODY_MAX = FILES_MAX * UPLOAD_BYTES_MAX + FIELDS_BYTES_MAX
/** Limit in bytes of a form whose large files are read and discarded, so that the page keeps its other fields. */
const REPORTED_BODY_MAX = 512 * 1024 * 1024

const PARTS_MAX = FIELDS_MAX + FILES_MAX
const limits = { files: PARTS_MAX, fileSize: UPLOAD_BYTES_MAX + 1, parts: PARTS_MAX, headerPairs: 20, headerSize: 16_000 }

interface LargeFile {
  /** The field, such as `answers[issue_image]`. */
  readonly field: string
  /** The name from the client, at most 255 characters. */
  readonly filename: string
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route answers a form with too many files by `hasTooManyFiles`, with its other errors. All other routes refuse it with 400. */
    reportsTooManyFiles?: true
    /** The route answers a form with files that are too large by `largeFiles`, whatever their total. All other routes refuse it with 413. */
    reportsLargeFiles?: true
  }
  interface FastifyRequest {
    /** Files after the allowed number were discarded. */
    hasTooManyFiles: boolean
    /** Files that were discarded because of their size. */
    largeFiles: readonly LargeFile[]
  }
}

/** Reads `multipart/form-data` (RFC 7578) after authentication and the rate limit. Files in unexpected fields are discarded. */
export async function readMultipart(app: FastifyInstance): Promise<void> {
  // The parser passes every part as a stream, because it would replace bytes of a text that are not UTF-8.
  await app.register(multipart, { limits, throwFileSizeLimit: false, isPartAFile: () => true })
  addUploadFolders(app)
  app.decorateRequest('hasTooManyFiles', false)
  // An array would be shared by all requests.
  app.decorateRequest('largeFiles')
  app.addHook('preValidation', async (request, reply) => {
    request.largeFiles = []
    if (!request.isMultipart() || request.is404) return
    const bytesMax = request.routeOptions.config.reportsLargeFiles ? REPORTED_BODY_MAX : BODY_MAX
    if (Number(request.headers['content-length'] ?? 0) > bytesMax) {
      void reply.header('connection', 'close')
      throw bodyTooLarge()
    }
    try {
      // The parser of @fastify/multipart leaves the body to the handler, so this hook sets it.
      request.body = await withBodyTimeout(request, { bytesMax }, () => readParts(request))
      app.occupyUploadSlot(request)
    } catch (error) {
      throw toProblem(error)
    }
  })
}

const bodyTooLarge = () => problems.tooLarge(text('form_too_large', { files: FILES_MAX, size: FILE_SIZE_MAX_MB }))
const FILE_SIZE_MAX_MB = UPLOAD_BYTES_MAX / 1024 / 1024

/** Reads the fields and files. A form counts its files itself: browsers send an empty file for each field without one. */
async function readParts(request: FastifyRequest): Promise<Record<string, unknown>> {
  const { files = [], reportsTooManyFiles, reportsLargeFiles } = request.routeOptions.config
  const fields: [string, unknown][] = []
  const misplaced: string[] = []
  let bytes = 0
  let count = 0
  let stored = 0
  let storedBytes = 0
  for await (const part of request.files()) {
    const name = partName(part)
    bytes += Buffer.byteLength(name)
    if (!isFile(part)) {
      const field = await readField(part, FIELDS_BYTES_MAX - bytes)
      bytes += field.length
      fields.push([name, await parseField(request, part, field)])
      continue
    }
    if (++count > FILES_MAX && !reportsTooManyFiles) throw problems.unreadableBody(text('form_too_many_files', { max: FILES_MAX }))
    if (request.authenticateByForm) await authenticateByFields(request, fields)
    if (stored === FILES_MAX && acceptsFile(files, name)) {
      // Each part has to be read: the parser waits for it.
      const length = await drain(part, reportsLargeFiles)
      request.hasTooManyFiles ||= length > 0
    } else if (acceptsFile(files, name)) {
      const upload = await storeFile(request, part, storedBytes)
      if (!upload) continue
      fields.push([name, upload])
      stored++
      storedBytes += upload.bytes
    } else {
      const length = await drain(part)
      if (length > 0 && isSchemaField(request, name)) misplaced.push(name.split('[')[0] ?? name)
    }
  }
  if (misplaced.length > 0) throw invalid(request, Object.fromEntries(misplaced.map((name) => [name, text('is_file')])))
  return nestFields(fields)
}

function partName({ fieldname }: { readonly fieldname?: string }): string {
  if (fieldname === undefined) throw problems.unreadableBody(text('form_part_without_name'))
  if (fieldname.length > NAME_MAX) throw problems.unreadableBody(text('form_name_too_long', { max: NAME_MAX }))
  return fieldname
}

/** Only a file has a name, if perhaps an empty one, or is binary (RFC 7578, 4.2 and 4.4). */
const isFile = ({ filename, mimetype }: Partial<MultipartFile>) => filename !== undefined || mimetype === 'application/octet-stream'

async function readField({ file }: Pick<MultipartFile, 'file'>, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of file as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bytesMax) throw problems.tooLarge(text('form_fields_too_large'))
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function parseField(request: FastifyRequest, { mimetype }: Pick<MultipartFile, 'mimetype'>, field: Buffer): Promise<unknown> {
  const value = decodeUtf8(field)
  if (mimetype !== 'application/json') return value
  return parseJson(request, value).catch(() => {
    throw problems.unreadableBody(text('form_field_not_json'))
  })
}

function isSchemaField(request: FastifyRequest, name: string): boolean {
  const { properties = {} } = (request.routeOptions.schema?.body ?? {}) as ObjectSchema
  return Object.hasOwn(properties, name.split('[')[0] ?? name)
}

/** @param storedBytes bytes of the files before */
async function storeFile(
  request: FastifyRequest,
  { file, fieldname: field = '', filename = '' }: Partial<MultipartFile> & { file: Readable },
  storedBytes: number,
) {
  const { reportsLargeFiles = false } = request.routeOptions.config
  const folder = await (request.uploadFolder ??= request.server.createUploadFolder(request))
  const path = join(folder, crypto.randomUUID())
  const hash = createHash('sha256')
  let bytes = 0
  const target = createWriteStream(path, { flags: 'wx', mode: 0o600 })
  await pipeline(
    file,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        bytes += chunk.length
        if (bytes > UPLOAD_BYTES_MAX && reportsLargeFiles) continue
        if (bytes > UPLOAD_BYTES_MAX) throw fileTooLarge()
        request.server.occupyUploadSlot(request, storedBytes + bytes)
        hash.update(chunk)
        yield chunk
      }
    },
    target,
  )
  if (bytes === 0 && filename === '') return undefined
  if (bytes > UPLOAD_BYTES_MAX) {
    await rm(path)
    request.largeFiles = [...request.largeFiles, { field, filename: filename.slice(0, FILENAME_MAX) }]
    return undefined
  }
  return new Upload({
    path,
    bytes,
    sha256: hash.digest('hex'),
    filename: filename.slice(0, FILENAME_MAX),
    client: clientKey(request),
  })
}

async function drain({ file }: { readonly file: AsyncIterable<Buffer> }, acceptsLarge = false): Promise<number> {
  let bytes = 0
  for await (const chunk of file) {
    bytes += chunk.length
    if (bytes > UPLOAD_BYTES_MAX && !acceptsLarge) throw fileTooLarge()
  }
  return bytes
}

const fileTooLarge = () => problems.tooLarge(text('file_too_large', { size: FILE_SIZE_MAX_MB }))

function toProblem(error: unknown): unknown {
  if (error instanceof Problem) return error
  const { code, syscall } = error as NodeJS.ErrnoException
  if (syscall !== undefined) return error
  switch (code) {
    case 'FST_FILES_LIMIT':
    case 'FST_PARTS_LIMIT':
      return problems.unreadableBody(text('form_too_many_fields', { max: FIELDS_MAX }))
    case 'FST_PROTO_VIOLATION':
      return problems.unreadableBody(text('form_name_invalid'))
    default:
      return problems.unreadableBody(text('form_damaged'))
  }
}
