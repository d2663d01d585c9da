import { ESLint } from 'eslint'
import { describe, expect, test } from 'vitest'
import tseslint from 'typescript-eslint'

/** The project's own rules, without those that need types: the planted files do not exist. */
const eslint = new ESLint({ overrideConfig: [{ files: ['**/*.ts'], ...tseslint.configs.disableTypeChecked }] })

/** The rules that refuse `text` where it stood in `file`. */
async function refusals(file: string, text: string): Promise<(string | null)[]> {
  const [result] = await eslint.lintText(`${text}\n`, { filePath: file })
  return [...new Set(result?.messages.map(({ ruleId, message }) => ruleId ?? message) ?? ['the file is not linted'])]
}

const importing = (source: string) => `import * as wrong from '${source}'\nexport { wrong }`

describe('the arrows of the architecture', () => {
  test.each([
    ['src/database/planted.ts', '../geo/area.ts'],
    ['src/database/planted.ts', '../http/problems.ts'],
    ['src/database/planted.ts', '../issues/queries.ts'],
    ['src/database/planted.ts', '../services.ts'],
    ['src/database/planted.ts', '../../jobs/queue.ts'],
    ['src/geo/planted.ts', '../http/pagination.ts'],
    ['src/geo/planted.ts', '../places/queries.ts'],
    ['src/geo/planted.ts', '../services.ts'],
    ['src/http/planted.ts', '../issues/schema.ts'],
    ['src/http/planted.ts', '../services.ts'],
    ['src/http/planted.ts', '../web/icons.ts'],
    ['src/http/planted.ts', '../../jobs/queue.ts'],
    ['src/http/problems.ts', './urls.ts'],
    ['src/texts/planted.ts', '../http/problems.ts'],
    ['src/issues/planted.ts', '../comments/routes.ts'],
    ['src/issues/planted.ts', '../users/command.ts'],
    ['src/issues/planted.ts', '../app.ts'],
    ['src/issues/planted.ts', '../server.ts'],
    ['src/issues/planted.ts', '../tiles/routes.ts'],
    ['src/issues/planted.ts', '../web/pages.ts'],
    ['src/issues/planted.ts', '../../jobs/handlers.ts'],
    ['src/issues/planted.ts', '../../jobs/worker.ts'],
    ['src/issues/planted.ts', '../../test/helpers/given.ts'],
    ['src/issues/planted.ts', '../../prisma/seeds/demo.ts'],
    ['src/issues/deeper/planted.ts', '../../comments/routes.ts'],
    ['src/issues/deeper/planted.ts', '../../app.ts'],
    ['src/issues/planted.ts', '../feeds/atom.ts'],
    ['src/feeds/planted.ts', '../issues/routes.ts'],
    ['src/open311/planted.ts', '../issues/routes.ts'],
    ['src/ogc/planted.ts', '../app.ts'],
    ['src/live/planted.ts', '../../jobs/handlers.ts'],
    ['src/services.ts', './app.ts'],
    ['src/services.ts', '../jobs/handlers.ts'],
    ['src/app.ts', '../jobs/run-worker.ts'],
    ['src/app.ts', '../test/helpers/use-app.ts'],
    ['src/config.ts', './services.ts'],
    ['src/server.ts', '../test/helpers/use-app.ts'],
    ['jobs/planted.ts', '../src/app.ts'],
    ['jobs/planted.ts', '../src/issues/routes.ts'],
    ['jobs/planted.ts', '../src/web/pages.ts'],
    ['jobs/mails/planted.ts', '../../src/app.ts'],
    ['jobs/contracts.ts', '../src/services.ts'],
    ['jobs/contracts.ts', './handlers.ts'],
    ['prisma/seeds/planted.ts', '../../src/app.ts'],
  ])('refuse in %s an import of %s', async (file, source) => {
    expect(await refusals(file, importing(source))).toEqual(['no-restricted-imports'])
    expect(await refusals(file, `export * from '${source}'`)).toEqual(['no-restricted-imports'])
    expect(await refusals(file, `import type { Wrong } from '${source}'\nexport type Right = Wrong`)).toEqual([
      'no-restricted-imports',
    ])
  })

  test.each([
    ['src/database/planted.ts', '../config.ts'],
    ['src/database/planted.ts', '../../prisma/generated/client.ts'],
    ['src/geo/planted.ts', '../database/database.ts'],
    ['src/geo/planted.ts', '../http/problems.ts'],
    ['src/http/planted.ts', '../geo/area-query.ts'],
    ['src/http/planted.ts', './problems.ts'],
    ['src/http/planted.ts', '../texts/translate.ts'],
    ['src/issues/planted.ts', '../http/pagination.ts'],
    ['src/issues/planted.ts', '../comments/queries.ts'],
    ['src/issues/planted.ts', '../comments/schema.ts'],
    ['src/issues/planted.ts', '../services.ts'],
    ['src/issues/planted.ts', '../../jobs/contracts.ts'],
    ['src/issues/planted.ts', '../../jobs/queue.ts'],
    ['src/issues/deeper/planted.ts', '../queries.ts'],
    ['src/feeds/planted.ts', '../issues/queries.ts'],
    ['src/tiles/planted.ts', '../issues/queries.ts'],
    ['src/tiles/planted.ts', '../web/icons.ts'],
    ['src/app.ts', './issues/routes.ts'],
    ['src/server.ts', './app.ts'],
    ['src/server.ts', '../jobs/run-worker.ts'],
    ['jobs/planted.ts', '../src/issues/queries.ts'],
    ['jobs/worker.ts', './run-worker.ts'],
    ['test/issues/planted.ts', '../../src/app.ts'],
  ])('allow in %s an import of %s', async (file, source) => {
    expect(await refusals(file, importing(source))).toEqual([])
  })

  test('cannot be gone round by a late import', async () => {
    expect(await refusals('src/issues/planted.ts', "export const wrong = () => import('../app.ts')")).toEqual([
      'no-restricted-syntax',
    ])
  })

  test('cannot be gone round by a comment', async () => {
    const text = `// eslint-disable-next-line\n${importing('../app.ts')}`

    expect(await refusals('src/issues/planted.ts', text)).toContain('no-restricted-imports')
  })
})

describe('the environment', () => {
  test.each([
    ['process.env', "export const port = process.env['PORT']", 'no-restricted-properties'],
    ['a part of process', 'const { env } = process\nexport { env }', 'no-restricted-properties'],
    ['node:process', "import { env } from 'node:process'\nexport { env }", 'no-restricted-imports'],
  ])('is not read through %s by what gets the configuration', async (_, text, rule) => {
    expect(await refusals('src/issues/planted.ts', text)).toEqual([rule])
    expect(await refusals('jobs/planted.ts', text)).toEqual([rule])
  })

  test.each(['src/server.ts', 'jobs/worker.ts', 'src/imports/command.ts', 'src/database/migrate-command.ts', 'prisma/seed.ts'])(
    'is handed to the configuration by %s',
    async (file) => {
      expect(await refusals(file, "import { readConfig } from 'planted'\nexport const config = readConfig(process.env)")).toEqual(
        [],
      )
    },
  )
})

test.each(['test.skip', 'test.only', 'test.todo', 'describe.skip', 'it.only'])('no test is left out by %s', async (call) => {
  expect(await refusals('test/planted.test.ts', `${call}('a promise')`)).toContain('no-restricted-syntax')
})
