import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'

import { Environment } from '../../src/environment/variables.ts'
import { commandsIn, sectionOf } from '../docs/commands.ts'
import packageJson from '../../package.json' with { type: 'json' }

interface Probe {
  readonly httpGet?: { readonly path: string; readonly port: string }
  readonly exec?: { readonly command: readonly string[] }
}
interface Container {
  readonly name: string
  readonly image: string
  readonly command?: readonly string[]
  readonly env?: readonly { readonly name: string }[]
  readonly livenessProbe?: Probe
  readonly readinessProbe?: Probe
  readonly resources: { readonly limits: { readonly memory: string } }
  readonly securityContext: { readonly readOnlyRootFilesystem: boolean; readonly allowPrivilegeEscalation: boolean }
}
interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly data?: Record<string, string>
  readonly stringData?: Record<string, string>
  readonly type?: string
  readonly spec?: {
    readonly selector?: { readonly matchLabels?: Record<string, string> }
    readonly imageName?: string
    readonly bootstrap?: { readonly initdb: { readonly owner: string; readonly postInitApplicationSQL: readonly string[] } }
    readonly template?: Template
    readonly jobTemplate?: { readonly spec: { readonly template: Template } }
  }
}
interface Template {
  readonly metadata?: { readonly labels: Record<string, string> }
  readonly spec: { readonly containers: readonly Container[]; readonly initContainers?: readonly Container[] }
}

const files = globSync('deploy/kubernetes/*.yaml').sort()
const manifests = files.flatMap((file) =>
  parseAllDocuments(readFileSync(file, 'utf8')).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS() as Manifest
  }),
)
const containers = manifests.flatMap(({ spec }) => {
  const pod = (spec?.template ?? spec?.jobTemplate?.spec.template)?.spec
  return [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])]
})
const named = (name: string) => containers.find((container) => container.name === name)
const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0

describe('the manifests for Kubernetes', () => {
  const hasKubeconform = has('kubeconform', '-v')

  it('start the programs of the image with the release of package.json, and backups with the PostgreSQL of the server', () => {
    const [{ spec: { imageName: server } = {} } = {}, { metadata: { name: drill } = {} } = {}] = manifests.filter(
      ({ kind }) => kind === 'Cluster',
    )

    expect(containers.map(({ name, command, image }) => [name, command?.join(' '), image])).toEqual([
      ['program', 'cp -r /app /usr/local/bin/node /program', `fixpoint:${packageJson.version}`],
      ['backup', '/program/node src/cli/backup.ts s3://backups/fixpoint', server],
      ['migrate', 'node src/cli/migrate.ts', `fixpoint:${packageJson.version}`],
      ['program', 'cp -r /app /usr/local/bin/node /program', `fixpoint:${packageJson.version}`],
      [
        'drill',
        `/program/node src/cli/restore.ts s3://backups/fixpoint --drill postgres://postgres@${drill}-rw:5432/postgres`,
        server,
      ],
      ['web', undefined, `fixpoint:${packageJson.version}`],
      ['worker', 'node jobs/worker.ts', `fixpoint:${packageJson.version}`],
    ])
  })

  it('set variables that the service reads', () => {
    const names = [
      ...manifests
        .filter(({ type }) => type === undefined)
        .flatMap(({ data, stringData }) => Object.keys({ ...data, ...stringData })),
      ...containers.flatMap(({ env }) => (env ?? []).map(({ name }) => name)),
    ]

    expect(names.filter((name) => !Object.hasOwn(Environment.properties, name))).toEqual([])
    expect(names).toContain('DATABASE_URL')
  })

  it('give the service the role of docs/operations.md, which cannot change tables', () => {
    const { owner, postInitApplicationSQL = [] } = manifests.find(({ kind }) => kind === 'Cluster')?.spec?.bootstrap?.initdb ?? {}
    const documented = commandsIn(sectionOf('docs/operations.md', 'Roles of the database'))
      .filter((line) => line.startsWith('ALTER DEFAULT PRIVILEGES'))
      .map((line) => line.replace('fixpoint_owner', String(owner)).replace(';', ''))

    expect(documented).toHaveLength(2)
    expect(postInitApplicationSQL).toEqual(expect.arrayContaining(documented))
  })

  it('limit memory, write nothing to the image and gain no rights', () => {
    for (const { resources, securityContext } of containers) {
      expect(resources.limits.memory).toMatch(/^\d+[MG]i$/)
      expect(securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false })
    }
  })

  it('probe what the processes answer', () => {
    const [web, worker] = [named('web'), named('worker')]

    expect(web?.livenessProbe?.httpGet?.path).toBe('/health/live')
    expect(web?.readinessProbe?.httpGet?.path).toBe('/health/ready')
    expect(worker?.livenessProbe?.httpGet).toEqual({ path: '/health', port: 'http' })
  })

  it('select the pods of their templates', () => {
    const labels = manifests.flatMap(({ spec }) => spec?.template?.metadata?.labels['app'] ?? [])
    const selectors = manifests.flatMap(({ spec }) => spec?.selector?.matchLabels?.['app'] ?? [])

    expect(labels).toHaveLength(2)
    expect(selectors).toHaveLength(4)
    expect(selectors.filter((selector) => !labels.includes(selector))).toEqual([])
  })

  it.runIf(hasKubeconform)(`are valid${hasKubeconform ? '' : ' (skipped: kubeconform is not installed)'}`, () => {
    execFileSync('kubeconform', ['-strict', '-ignore-missing-schemas', ...files])
  })
})

describe('the schemas of Kubernetes', () => {
  const hasValidator = has('kubernetes-validate', '--version')
  const skipped = hasValidator ? '' : ' (skipped: kubernetes-validate of PyPI is not installed)'

  it.runIf(hasValidator)(`accept the manifests${skipped}`, () => {
    execFileSync('kubernetes-validate', ['--strict', '--quiet', '--no-warn', ...files])
  })
})

describe('the units for systemd', () => {
  const units = globSync('deploy/systemd/*.service').sort()
  const unitOf = (file: string) => readFileSync(file, 'utf8')

  it('start the web process and the worker', () => {
    const programs = units.map((file) => /^ExecStart=\/opt\/fixpoint\/node_modules\/\.bin\/(.*)$/m.exec(unitOf(file))?.[1])

    expect(programs).toEqual(['node src/server.ts', 'node jobs/worker.ts'])
  })

  const hasAnalyze = has('systemd-analyze', '--version')
  it.runIf(hasAnalyze)(`are accepted by systemd${hasAnalyze ? '' : ' (skipped: systemd-analyze is not installed)'}`, () => {
    const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...units], { encoding: 'utf8' })
    // The program is not installed on the machine of the test.
    const complaints = stderr.split('\n').filter((line) => line.includes('fixpoint') && !line.includes('is not executable'))

    expect(complaints).toEqual([])
  })
})
