import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

import { root } from '../docs/commands.ts'
import { hasPythonPackage, python } from '../helpers/python.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { useApp } from '../helpers/use-app.ts'

/* Two client generators from npm create clients from the OpenAPI document that compile, and a validator in Python accepts it. */

const hasValidator = hasPythonPackage('openapi_spec_validator')

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
