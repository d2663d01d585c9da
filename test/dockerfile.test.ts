import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const dockerfile = readFileSync('Dockerfile', 'utf8')
const lines = dockerfile.replaceAll('\\\n', ' ').split('\n')

describe('Dockerfile', () => {
  it('has the Node of the lockfile, and builds in a separate stage', () => {
    const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, { version: string }> }
    const locked = ['x64', 'arm64'].map((cpu) => lock.packages[`node_modules/node-linux-${cpu}`]?.version)
    const stages = lines.filter((line) => line.startsWith('FROM '))
    const images = stages.map((stage) => /^FROM node:([\d.]+)-bookworm-slim( AS \w+)?$/.exec(stage))

    expect(images.map((image) => image?.[1])).toEqual([locked[0], ...locked])
    expect(images.map((image) => image?.[2])).toEqual([' AS client', ' AS packages', undefined])
  })

  it('installs the production dependencies of package-lock.json', () => {
    const packages = lines.slice(lines.findIndex((line) => line.endsWith(' AS packages')))
    const installs = (some: string[]) => some.filter((line) => /npm (ci|install|i)\b/.test(line))

    expect(installs(packages)).toEqual([expect.stringContaining('npm ci --omit=dev --legacy-peer-deps --ignore-scripts')])
    expect(installs(lines).filter((line) => !line.includes('npm ci '))).toEqual([])
    expect(lines.filter((line) => line.includes('node_modules node_modules'))).toEqual([
      'COPY --from=packages /app/node_modules node_modules',
    ])
  })

  it('generates the client with the Prisma of package-lock.json', () => {
    expect(lines).toContain('RUN npm ci --ignore-scripts && npx --no prisma generate')
  })

  it('does not run as root', () => {
    expect(lines.filter((line) => line.startsWith('USER '))).toEqual(['USER node'])
    expect(lines.indexOf('USER node')).toBeGreaterThan(lines.findLastIndex((line) => line.startsWith('RUN ')))
  })

  it('checks the liveness endpoint with Node, since the image has no curl', () => {
    const check = /^HEALTHCHECK .*CMD (\[.*\])$/.exec(lines.find((line) => line.startsWith('HEALTHCHECK ')) ?? '')?.[1]

    expect(JSON.parse(check ?? '[]')).toEqual(['node', '-e', expect.stringContaining('/health/live')])
  })

  it('starts the web process directly, so that it receives signals', () => {
    const command = /^CMD (\[.*\])$/m.exec(dockerfile)?.[1]

    expect(JSON.parse(command ?? '[]')).toEqual(['node', 'src/server.ts'])
    expect(existsSync('src/server.ts')).toBe(true)
  })

  it('contains the licence and the third-party notices', () => {
    expect(lines.find((line) => line.startsWith('COPY package.json LICENSE '))).toBe('COPY package.json LICENSE THIRD_PARTY.md ./')
  })

  const hasHadolint = spawnSync('hadolint', ['--version']).status === 0
  it.runIf(hasHadolint)(`has no warning of hadolint${hasHadolint ? '' : ' (skipped: hadolint is not installed)'}`, () => {
    execFileSync('hadolint', ['--failure-threshold', 'warning', 'Dockerfile'])
  })

  it('copies only existing files that .dockerignore allows', () => {
    const copied = lines
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
      .flatMap((line) => line.split(/\s+/).slice(1, -1))
    const letIn = readFileSync('.dockerignore', 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('!'))

    expect(copied.filter((path) => !existsSync(path))).toEqual([])
    expect(copied.filter((path) => !letIn.some((line) => path === line.slice(1) || path.startsWith(`${line.slice(1)}/`)))).toEqual(
      [],
    )
  })
})
