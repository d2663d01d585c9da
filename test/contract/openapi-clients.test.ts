import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'

import { root } from '../docs/commands.ts'
import { hasPythonPackage, python } from '../helpers/python.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { useApp } from '../helpers/use-app.ts'
import { appOn, bearer } from '../http/app-on.ts'

/* Two client generators from npm and one from Python create clients from the OpenAPI document that compile, and a validator in Python accepts it. */

const hasValidator = hasPythonPackage('openapi_spec_validator')
const hasPythonClients = hasPythonPackage('openapi_python_client')

const run = promisify(execFile)
const packageFile = (path: string) => join(root, 'node_modules', path)

/** A program that compiles only if the clients have the right types. */
const program = `
import type { components, operations } from './openapi-typescript.ts'
import { createToken, listIssues, updateProfile, type ListIssuesParams } from './orval.ts'

type Schemas = components['schemas']
const anonymous: Schemas['NewIssue']['anonymize_reporter'] = true
const accepts: Schemas['Registration']['accept_terms'] = true
const sparse: Schemas['SparseIssue'] = { id: 4711 }
const query: operations['listIssues']['parameters']['query'] = { status: ['open', 'closed'] }
const failures: (keyof operations['createIssue']['responses'])[] = [408, 413, 414]
const parameters: ListIssuesParams = { status: ['acknowledged'], details: true }

export const used = [anonymous, accepts, sparse, query, failures, parameters]
export async function ask(): Promise<number> {
  await createToken()
  await updateProfile()
  const answer = await listIssues(parameters)
  return answer.status === 200 ? answer.data.metadata.pagination.entries : 0
}
`

/** Writes with JSON, and with forms where it sends a file. */
const pythonProgram = `
import base64, json, sys
from client import AuthenticatedClient, Client
from client.api.comments import create_comment
from client.api.issues import close_issue, create_issue
from client.api.users import create_user
from client.models import NewClosing, NewComment, NewCommentForm, NewIssue, NewIssueAnswers, NewIssueForm, Registration
from client.types import File

url, image = sys.argv[1:]
agent = {"User-Agent": "test"}
picture = lambda: File(payload=open(image, "rb"), file_name="picture.png", mime_type="image/png")
person = Registration(name="Ada Park", email="ada@example.org", password="correct horse", password_confirmation="correct horse", accept_terms=True)
registered = create_user.sync_detailed(client=Client(base_url=url, headers=agent), body=person)
credentials = base64.b64encode(b"ada@example.org:correct horse").decode()
client = AuthenticatedClient(base_url=url, headers=agent, prefix="Basic", token=credentials)
place = dict(address="Chapel St", lat=41.3083, lng=-72.9279, request_type_id="other")
answers = NewIssueAnswers.from_dict({"summary": "Pothole at the crossing"})
reported = create_issue.sync_detailed(client=client, body=NewIssue(**place, answers=answers))
form = NewIssueForm(**place, answerssummary="Broken lamp", answersissue_image=picture())
reported_form = create_issue.sync_detailed(client=client, body=form)
id = reported.parsed.id
commented = create_comment.sync_detailed(id, client=client, body=NewComment(comment="Still there."))
commented_form = create_comment.sync_detailed(id, client=client, body=NewCommentForm(comment="See the picture.", image=picture()))
closed = close_issue.sync_detailed(id, client=client, body=NewClosing(comment="It is repaired."))
has = lambda media: isinstance(media.image_full, str)
print(json.dumps({
    "registered": [registered.status_code, registered.parsed.name],
    "reported": [reported.status_code, reported.parsed.summary],
    "reported with a picture": [reported_form.status_code, reported_form.parsed.summary, has(reported_form.parsed.media)],
    "commented": [commented.status_code, commented.parsed.comment],
    "commented with a picture": [commented_form.status_code, commented_form.parsed.comment, has(commented_form.parsed.media)],
    "closed": [closed.status_code, closed.parsed.issue.status],
}))
`

/** Without this option of docs/clients.md, the type of a response is the union of all its content types. */
const orvalOptions = (document: string) => ({
  input: document,
  output: { target: 'orval.ts', client: 'fetch', override: { contentType: { include: ['application/json'] } } },
})

describe('OpenAPI document', () => {
  const app = useApp()
  const read = async () => JSON.stringify((await app.as.anonymous.send('GET', '/docs/json')).body)
  const write = async () => {
    const folder = createTemporaryFolder()
    const document = join(folder, 'openapi.json')
    writeFileSync(document, await read())
    return { folder, document }
  }

  it('gives clients that compile with openapi-typescript and orval', async () => {
    const { folder, document } = await write()
    writeFileSync(join(folder, 'program.ts'), program)
    const node = (path: string, ...args: string[]) => run(process.execPath, [packageFile(path), ...args], { cwd: folder })

    const generating = node('openapi-typescript/bin/cli.js', document, '--output', 'openapi-typescript.ts')
    writeFileSync(join(folder, 'orval.config.mjs'), `export default ${JSON.stringify({ fixpoint: orvalOptions(document) })}`)
    await Promise.all([generating, node('orval/dist/bin/orval.mjs', '--config', 'orval.config.mjs')])
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--allowImportingTsExtensions',
      '--module',
      'nodenext',
      '--target',
      'es2024',
    ]
    const compiling = node('typescript/bin/tsc', ...options, '--lib', 'es2024,dom,dom.iterable', 'program.ts')
    const errors = await compiling.then(
      () => '',
      (error: unknown) => (error as { stdout: string }).stdout,
    )

    expect(errors).toBe('')
  })

  it.skipIf(!hasValidator)(
    `is valid for openapi-spec-validator${hasValidator ? '' : ' (skipped: python3 with openapi-spec-validator is absent)'}`,
    async () => {
      const { document } = await write()

      const { stdout } = await run(python, ['-m', 'openapi_spec_validator', document])

      expect(stdout.trim()).toBe(`${document}: OK`)
    },
  )

  it.skipIf(!hasPythonClients)(
    `gives a client that writes with openapi-python-client${hasPythonClients ? '' : ' (skipped: python3 with openapi-python-client is absent)'}`,
    async () => {
      const { folder, document } = await write()
      const image = join(folder, 'picture.png')
      await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } }).toFile(image)
      const { fastify } = await appOn(app.db)
      const url = await fastify.listen({ port: 0, host: '127.0.0.1' })
      writeFileSync(join(folder, 'program.py'), pythonProgram)

      await run(
        python,
        ['-m', 'openapi_python_client', 'generate', '--path', document, '--output-path', 'client', '--meta', 'none'],
        {
          cwd: folder,
        },
      )
      const { stdout } = await run(python, ['program.py', url, image], { cwd: folder })

      expect(JSON.parse(stdout)).toEqual({
        registered: [201, 'Ada Park'],
        reported: [201, 'Pothole at the crossing'],
        'reported with a picture': [201, 'Broken lamp', true],
        commented: [201, 'Still there.'],
        'commented with a picture': [201, 'See the picture.', true],
        closed: [201, 'Closed'],
      })
    },
  )

  it('has request bodies whose examples work as they stand', async () => {
    await app.create.place({ url_name: 'denver', around: { lat: 39.7392, lng: -104.9903 } })
    const { paths } = JSON.parse(await read()) as {
      paths: Record<string, Record<string, { requestBody: { content: Record<string, { example: object }> } }>>
    }
    const send = async (path: string, headers: Record<string, string> = {}) => {
      const body = paths[`/api/v2${path}`]?.['post']?.requestBody.content['application/json']?.example
      return app.as.anonymous.send('POST', `/api/v2${path.replace('{id}', '1')}`, { headers, body: body ?? 'no example' })
    }

    const registered = await send('/users')
    const created = await send('/tokens')
    const token = bearer((created.body as { token: string }).token)
    const answers = []
    for (const path of ['/issues', '/issues/{id}/comments', '/issues/{id}/close', '/watchers', '/watchers/forecast'])
      answers.push(await send(path, token))

    expect([registered, created, ...answers].map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 201, 200])
  })

  it('has no pattern, boolean or enum that other languages cannot use', async () => {
    const text = await read()
    const enums = [...text.matchAll(/"enum":(\[[^\]]*\])/g)].map(([, values = '']) => JSON.parse(values) as unknown[])
    const patterns = [...text.matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, pattern = '']) => JSON.parse(pattern) as string)

    const spellings = (values: unknown[]) => new Set(values.map((value) => String(value).toLowerCase()))
    expect(enums.filter((values) => values.includes(true) || spellings(values).size < values.length)).toEqual([])
    expect(patterns.filter((pattern) => /\\p\{|\(\?<?[=!]/.test(pattern))).toEqual([])
    expect([enums.length > 20, patterns.length > 5]).toEqual([true, true])
  })
})
