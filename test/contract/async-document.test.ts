import { type AsyncAPIDocumentInterface, Parser } from '@asyncapi/parser'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { GREEN } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { deliver, startReceiver, startWebhook } from '../webhooks/receiver.ts'

describe('/docs/async.json', () => {
  const app = useApp({ env: { FORWARD_ALLOW: '127.0.0.0/8' } })

  async function readDocument(): Promise<AsyncAPIDocumentInterface> {
    const { text } = await app.as.anonymous.send('GET', '/docs/async.json')
    const { diagnostics, document } = await new Parser().parse(text)
    expect(diagnostics.filter(({ severity }) => [0, 1].includes(Number(severity)))).toEqual([])
    if (!document) throw new Error('The document is invalid')
    return document
  }

  function errorsOf(document: AsyncAPIDocumentInterface, id: string, message: unknown) {
    const ajv = new Ajv2020({ strict: false })
    ;(addFormats as unknown as (ajv: Ajv2020) => void)(ajv)
    const validate = ajv.compile(
      document
        .allMessages()
        .all()
        .find((one) => one.id() === id)
        ?.payload()
        ?.json() as object,
    )
    validate(message)
    return validate.errors
  }

  it('is a valid AsyncAPI 3 document of the streams and webhooks', async () => {
    const document = await readDocument()

    expect(document.version()).toBe('3.0.0')
    expect(document.allMessages().map((message) => message.id())).toEqual(
      expect.arrayContaining(['start', 'change', 'reset', 'issue', 'changesReset', 'test']),
    )
  })

  it('describes the messages as they are sent', async () => {
    const { as, create, db } = app
    const owner = await create.user()
    const receiver = await startReceiver()
    await startWebhook(app, owner, { url: receiver.url })
    const { next_since } = (await as.anonymous.get('/changes')).body as { next_since: string }
    await create.issue({ at: GREEN, reporter: owner })
    const hidden = await create.issue({ at: GREEN, reporter: owner })
    await deliver(app)
    await db.execute(sql`UPDATE issues SET moderation_state = 'rejected' WHERE id = ${hidden}`)
    await deliver(app)
    const { changes } = (await as.anonymous.get(`/changes?since=${next_since}`)).body as { changes: unknown[] }

    const document = await readDocument()
    const [test, ...messages] = receiver.requests.map(({ message }) => message)

    expect([test?.type, errorsOf(document, 'test', test)]).toEqual(['test', null])
    expect(messages.map((message) => [message.type, errorsOf(document, 'issue', message)])).toEqual([
      ['issue.created', null],
      ['issue.created', null],
      ['issue.gone', null],
    ])
    expect(changes.map((change) => errorsOf(document, 'change', change))).toEqual(changes.map(() => null))
  })
})
