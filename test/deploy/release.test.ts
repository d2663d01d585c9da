import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import packageJson from '../../package.json' with { type: 'json' }

it('a new version dates the changes in CHANGELOG.md and names its image in the manifests', () => {
  const folder = createTemporaryFolder()
  writeFileSync(join(folder, 'CHANGELOG.md'), '# Changelog\n\n## Unreleased\n\n### Added\n\n- A thing.\n')
  cpSync('deploy', join(folder, 'deploy'), { recursive: true })
  const web = join(folder, 'deploy/kubernetes/web.yaml')
  writeFileSync(web, readFileSync(web, 'utf8').replace(/image: fixpoint:\S+/, 'image: fixpoint:0.0.1'))

  execFileSync(process.execPath, [resolve('.ci/cut-release.ts')], { cwd: folder })

  expect(readFileSync(join(folder, 'CHANGELOG.md'), 'utf8')).toMatch(
    new RegExp(`^## Unreleased\n\n## ${packageJson.version.replaceAll('.', '\\.')} – \\d{4}-\\d\\d-\\d\\d\n\n### Added`, 'm'),
  )
  expect(readFileSync(web, 'utf8')).toContain(`image: fixpoint:${packageJson.version}\n`)
})

interface Component {
  readonly name: string
  readonly purl: string
  readonly hashes: readonly { readonly alg: string; readonly content: string }[]
  readonly licenses: readonly object[]
  readonly externalReferences: readonly { readonly url: string }[]
}

it('npm run sbom lists the packages of production as CycloneDX, with the purl, hash, licence and addresses of each', () => {
  const sbom = JSON.parse(execFileSync('npm', ['run', '--silent', 'sbom'], { encoding: 'utf8' })) as {
    readonly bomFormat: string
    readonly specVersion: string
    readonly components: readonly Component[]
  }

  expect([sbom.bomFormat, sbom.specVersion]).toEqual(['CycloneDX', '1.5'])
  const names = sbom.components.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['fastify', 'typebox']))
  expect(names).not.toContain('vitest')
  const isWhole = ({ purl, hashes, licenses, externalReferences }: Component) =>
    /^pkg:npm\/(%40[^/]+\/)?[^/@]+@\d/.test(purl) &&
    hashes.some(({ alg, content }) => alg === 'SHA-512' && /^[0-9a-f]{128}$/.test(content)) &&
    licenses.length > 0 &&
    externalReferences.every(({ url }) => !/^[^/]*@[^/]*:/.test(url))
  expect(sbom.components.filter((component) => !isWhole(component))).toEqual([])
})
