import { expect, it } from 'vitest'

import { buildApp } from '../../../src/app.ts'
import { schemaCompilers } from '../../../src/http/validation/compilers.ts'
import { useApp } from '../../helpers/use-app.ts'

const app = useApp()

it('compiles the schemas of all routes, which a service compiles when a request needs them', async () => {
  let count = 0
  const counted = <Route, Compiled>(compile: (route: Route) => Compiled) => {
    return (route: Route) => {
      count += 1
      return compile(route)
    }
  }

  const eager = await buildApp(app.services, {
    validator: counted(schemaCompilers.validator),
    serializer: counted(schemaCompilers.serializer),
  })
  await eager.ready()

  expect(count).toBeGreaterThan(500)
  await eager.close()
})
