import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const dockerfile = readFileSync('Dockerfile', 'utf8')
const lines = dockerfile.replaceAll('\\\n', ' ').split('\n')

describe('Dockerfile', () => {
  test('takes the Node of the lockfile by version and digest, and builds in another stage than it runs in', () => {
    const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, { version: string }> }
    const locked = ['x64', 'arm64'].map((cpu) => lock.packages[`node_modules/node-linux-${cpu}`]?.version)
    const stages = lines.filter((line) => line.startsWith('FROM '))
    const images = stages.map((stage) => /^FROM node:([\d.]+)-bookworm-slim@(sha256:[0-9a-f]{64})( AS \w+)?$/.exec(stage))

    expect(images.map((image) => image?.[1])).toEqual([locked[0], ...locked])
    expect(new Set(images.map((image) => image?.[2])).size).toBe(1)
    expect(images.map((image) => image?.[3])).toEqual([' AS client', ' AS packages', undefined])
  })

  test('installs exactly what package-lock.json says, without what only development needs', () => {
    const packages = lines.slice(lines.findIndex((line) => line.endsWith(' AS packages')))
    const installs = (some: string[]) => some.filter((line) => /npm (ci|install|i)\b/.test(line))

    expect(installs(packages)).toEqual([expect.stringContaining('npm ci --omit=dev --ignore-scripts')])
    expect(installs(lines).filter((line) => !line.includes('npm ci '))).toEqual([])
    expect(lines.filter((line) => line.includes('node_modules node_modules'))).toEqual([
      'COPY --from=packages /app/node_modules node_modules',
    ])
  })

  test('makes the client by the Prisma of package-lock.json, as an install without development dependencies does', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, { version: string }> }

    expect(scripts['postinstall']).toBe(`npm exec --yes -- prisma@${packages['node_modules/prisma']?.version} generate`)
    expect(lines).toContain('RUN npm ci --ignore-scripts && npx --no prisma generate')
  })

  test('does not run as root', () => {
    expect(lines.filter((line) => line.startsWith('USER '))).toEqual(['USER node'])
    expect(lines.indexOf('USER node')).toBeGreaterThan(lines.findLastIndex((line) => line.startsWith('RUN ')))
  })

  test('asks the live health page, by Node, since the image has no curl', () => {
    const check = /^HEALTHCHECK .*CMD (\[.*\])$/.exec(lines.find((line) => line.startsWith('HEALTHCHECK ')) ?? '')?.[1]

    expect(JSON.parse(check ?? '[]')).toEqual(['node', '-e', expect.stringContaining('/health/live')])
  })

  test('starts the web process directly, so that it gets the signals', () => {
    const command = /^CMD (\[.*\])$/m.exec(dockerfile)?.[1]

    expect(JSON.parse(command ?? '[]')).toEqual(['node', 'src/server.ts'])
    expect(existsSync('src/server.ts')).toBe(true)
  })

  test('brings the licence and the notices of third parties', () => {
    expect(lines.find((line) => line.startsWith('COPY package.json LICENSE '))).toBe('COPY package.json LICENSE THIRD_PARTY.md ./')
  })

  test('copies only what exists and is let in by .dockerignore', () => {
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
