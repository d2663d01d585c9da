import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violations {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly target: unknown }[] }[]
}

/** Returns the elements of the page that violate rules of axe, and by how many pixels the page is wider than the screen. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const { violations } = await page.evaluate<Violations>('axe.run({ resultTypes: ["violations"] })')
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  return [
    ...violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id} ${String(target)}`)),
    ...(overflow > 0 ? [`${overflow} px wider than the screen`] : []),
  ]
}
