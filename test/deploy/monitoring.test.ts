import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

import { textOf } from '../docs/commands.ts'

interface Rule {
  readonly record?: string
  readonly alert?: string
  readonly expr: string
  readonly labels?: { readonly severity: string }
  readonly annotations?: { readonly summary: string; readonly runbook: string }
}

const RULES = 'deploy/prometheus/rules.yml'
const { groups } = parse(readFileSync(RULES, 'utf8')) as { readonly groups: readonly { readonly rules: readonly Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)
const alerts = rules.filter(({ alert }) => alert !== undefined)
const dashboard = readFileSync('deploy/grafana/fixpoint.json', 'utf8')
const { panels } = JSON.parse(dashboard) as {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[]
}
/** Another test compares this table with GET /metrics. */
const metrics = [...textOf('docs/operations.md').matchAll(/^\| `(fixpoint_\w+)` \|/gm)].map(([, name = '']) => name)

/** Returns the metrics of the service in an expression, without the suffixes of histograms. */
const metricsIn = (expression: string) =>
  [...expression.matchAll(/\bfixpoint_\w+/g)].map(([name]) => name.replace(/_seconds_(bucket|sum|count)$/, '_seconds'))

const hasPromtool = spawnSync('promtool', ['--version']).status === 0
const skipped = hasPromtool ? '' : ' (skipped: promtool is not installed)'

describe('the rules for Prometheus and the dashboard for Grafana', () => {
  it('use metrics that exist', () => {
    const used = [...rules.map(({ expr }) => expr), ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))].flatMap(
      metricsIn,
    )

    expect(used.filter((name) => !metrics.includes(name))).toEqual([])
    expect(new Set(used).size).toBeGreaterThan(15)
  })

  it('use recorded series that the rules record', () => {
    const recorded = rules.map(({ record }) => record)
    const used = [...[...rules.map(({ expr }) => expr), dashboard].join('\n').matchAll(/\bfixpoint:[\w:]+/g)].map(([name]) => name)

    expect(used.filter((name) => !recorded.includes(name))).toEqual([])
  })

  it('have a section of docs/runbooks.md for each alert, and no section without one', () => {
    const sections = [...textOf('docs/runbooks.md').matchAll(/^## (\w+)$/gm)].map(([, name = '']) => name)

    expect(alerts.map(({ alert }) => alert)).toEqual(sections)
    for (const { alert, annotations, labels } of alerts) {
      expect(annotations?.runbook).toBe(`docs/runbooks.md#${alert?.toLowerCase()}`)
      expect(['page', 'ticket']).toContain(labels?.severity)
    }
  })

  it.runIf(hasPromtool)(`are accepted by promtool, whose unit tests pass${skipped}`, () => {
    expect(execFileSync('promtool', ['check', 'rules', RULES], { encoding: 'utf8' })).toContain(`${rules.length} rules found`)
    expect(execFileSync('promtool', ['test', 'rules', 'test/deploy/alerts.yml'], { encoding: 'utf8' })).toContain('SUCCESS')
  })
})
