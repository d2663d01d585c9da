import type { FastifyPluginAsync } from 'fastify'

import type { Services } from '../services.ts'
import { addFiles } from './files.ts'
import { homePage } from './home.ts'
import { issuePage } from './issue.ts'
import { placeListPage } from './place-list.ts'
import { placePage } from './place.ts'
import { reportPage } from './report.ts'
import { shortLinks } from './short-links.ts'

/** The pages behind `html_url` and its like, rendered here and complete without scripts. Nobody is logged in on them yet. */
export const webRoutes: FastifyPluginAsync<Services> = async (app, services) => {
  app.decorateRequest('viewer', null)
  await addFiles(app)
  await app.register(homePage, services)
  await app.register(placeListPage, services)
  await app.register(placePage, services)
  await app.register(reportPage, services)
  await app.register(issuePage, services)
  await app.register(shortLinks, services)
}
