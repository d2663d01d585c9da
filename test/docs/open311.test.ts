import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'

import { seedDemo } from '../../prisma/seeds/demo/demo.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { useApp } from '../helpers/use-app.ts'
import { readXml } from '../open311/reader.ts'
import { picture } from '../open311/writer.ts'
import { commandsIn, shell, textOf } from './commands.ts'

const lines = commandsIn(textOf('docs/open311.md'))
const commands = lines.filter((line) => line.startsWith('curl '))
/** Lines such as `ID=$(…)`. */
const assignments = lines.filter((line) => !commands.includes(line))

describe('commands of docs/open311.md', () => {
  const app = useApp({ ownApp: true, keepRows: true })
  let address: string
  let token: string
  let image: Buffer
  beforeAll(async () => {
    image = Buffer.from(await picture().arrayBuffer())
    await seedDemo(app.db, { issuesPerCity: 60, say: () => {} })
    token = (await app.create.user({ role: 'Admin' })).token
    address = await app.fastify.listen({ host: '127.0.0.1', port: 0 })
  })

  it.each(commands)('return content: %s', async (command) => {
    const request = command.replace('curl ', 'curl -s --fail ')
    const script = [...assignments.filter((line) => command.includes(`$${line.replace(/=.*/, '')}`)), request].join('\n')
    const folder = createTemporaryFolder()
    writeFileSync(join(folder, 'lamp.png'), image)

    const text = await shell(script.replaceAll('http://127.0.0.1:3000', address), { TOKEN: token }, folder)

    const content = command.includes('.csv')
      ? text.trim().split('\r\n').slice(1)
      : command.includes('.xml')
        ? readXml(text).content
        : (JSON.parse(text) as object)
    expect(Object.keys(content).length).toBeGreaterThan(0)
  })
})
