import { beforeAll, describe, expect, it } from 'vitest'

import { seedDemo } from '../../prisma/seeds/demo/demo.ts'
import { useApp } from '../helpers/use-app.ts'
import { readXml } from '../open311/reader.ts'
import { commandsIn, shell, textOf } from './commands.ts'

const commands = commandsIn(textOf('docs/open311.md'))

describe('commands of docs/open311.md', () => {
  const app = useApp({ ownApp: true, keepRows: true })
  let address: string
  beforeAll(async () => {
    await seedDemo(app.db, { issuesPerCity: 60, say: () => {} })
    address = await app.fastify.listen({ host: '127.0.0.1', port: 0 })
  })

  it.each(commands)('return content: %s', async (command) => {
    const text = await shell(command.replace('curl ', 'curl -s --fail ').replace('http://127.0.0.1:3000', address))

    const content = command.includes('.csv')
      ? text.trim().split('\r\n').slice(1)
      : command.includes('.xml')
        ? readXml(text).content
        : (JSON.parse(text) as object)
    expect(Object.keys(content).length).toBeGreaterThan(0)
  })
})
