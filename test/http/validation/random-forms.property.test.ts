import fc from 'fast-check'
import Type from 'typebox'
import { describe, expect, it } from 'vitest'

import { failsWith } from '../../../src/http/schema/fields.ts'
import { UploadedFile } from '../../../src/http/request/upload.ts'
import { useApp } from '../../helpers/use-app.ts'
import { useOwnTemporaryFolder } from '../uploads/own-temporary-folder.ts'
import { addTestRoutes } from '../test-routes.ts'
import { runs } from '../../helpers/long.ts'

addTestRoutes(async (app) => {
  const schema = {
    operationId: 'send',
    body: Type.Object({
      comment: Type.Optional(Type.String()),
      image: Type.Optional(UploadedFile()),
      answers: Type.Optional(Type.Unknown()),
    }),
    response: { 200: Type.Object({}), ...failsWith(400, 413, 415, 422) },
  }
  app.post('/send', { schema, config: { files: ['image', 'answers[*]'] } }, async () => ({}))
})

const app = useApp({ keepRows: true, ownApp: true })
const temporary = useOwnTemporaryFolder()

const piece = fc.constantFrom(
  ...[
    '--cut',
    '\r\n',
    '\r\n\r\n',
    '--',
    '\n',
    '\0',
    '"',
    ';',
    ': ',
    'é',
    '\\',
    '%00',
    '[',
    ']',
    '[]',
    '{',
    'x',
    '__proto__',
    'toString',
  ],
  ...['Content-Disposition: form-data; name="', 'name=', 'image', 'comment', 'answers[a]', '"; filename="', "filename*=utf-8''%zz"],
  ...['Content-Type: application/json', 'Content-Type: application/octet-stream', 'Content-Transfer-Encoding: base64'],
  ...['Content-Type: text/plain; charset=utf-7', 'Content-Type: multipart/mixed; boundary=cut'],
)
const part = fc
  .tuple(
    fc.constantFrom('comment', 'image', 'answers[a]', 'answers[]', 'other', 'answers', '', '[', 'valueOf'),
    fc.option(fc.constantFrom('a.png', '', '../../x', '\0')),
    fc.constantFrom('', 'text/plain', 'application/json', 'application/octet-stream', 'nonsense'),
    fc.oneof(fc.string(), fc.constantFrom('', '{}', '[[1]]', '--cut', '\0')),
  )
  .map(([name, filename, type, content]) => {
    const disposition = `form-data; name="${name}"${filename === null ? '' : `; filename="${filename}"`}`
    return `--cut\r\nContent-Disposition: ${disposition}\r\n${type && `Content-Type: ${type}\r\n`}\r\n${content}\r\n`
  })
const body = fc
  .tuple(fc.array(fc.oneof({ weight: 3, arbitrary: part }, piece), { maxLength: 12 }), fc.constantFrom('--cut--\r\n', '', '--cut'))
  .map(([pieces, end]) => pieces.join('') + end)
const type = fc.constantFrom(
  ...['multipart/form-data; boundary=cut', 'multipart/form-data; boundary="cut"', 'multipart/form-data; boundary='],
  ...['multipart/form-data', 'multipart/form-data; boundary=cut; charset=x', 'MULTIPART/FORM-DATA; BOUNDARY=cut'],
)

describe('a form of random bytes', () => {
  it('never returns 500 and leaves no files', async () => {
    await fc.assert(
      fc.asyncProperty(type, body, async (contentType, text) => {
        const { status } = await app.as.anonymous.send('POST', '/api/v2/send', {
          headers: { 'content-type': contentType },
          body: text,
        })

        expect([200, 400, 415, 422]).toContain(status)
      }),
      runs(200),
    )

    expect(await temporary.entries()).toEqual([])
  })
})
