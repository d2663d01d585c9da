import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { readConfig } from '../../src/config.ts'
import { Environment } from '../../src/environment/variables.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { messagesIn, runNode } from '../helpers/processes.ts'

function secretFile(content: string): string {
  const path = join(createTemporaryFolder(), 'secret')
  writeFileSync(path, content)
  return path
}

describe('NAME_FILE variables', () => {
  it('exist for every secret', () => {
    const secrets = Object.entries(Environment.properties).filter(([, schema]) => 'secret' in schema)

    expect(secrets.map(([name]) => name)).toEqual([
      'DATABASE_URL',
      'DATABASE_REPLICA_URLS',
      'PGPASSWORD',
      'DATABASE_DIRECT_URL',
      'REDIS_URL',
      'GEOCODER_URL',
      'S3_URL',
      'BACKUP_S3_URL',
      'SMTP_URL',
      'MAIL_HOOK_SECRET',
      'DKIM_KEY',
      'OPS_TOKEN',
    ])
  })

  it('are read without the last line break; spaces belong to a password', () => {
    const env = {
      PUBLIC_URL: 'https://fix.example.org',
      DATABASE_URL_FILE: secretFile('postgres://fix@db/fixpoint\n'),
      DATABASE_REPLICA_URLS_FILE: secretFile('postgres://fix@one/fixpoint, postgres://fix:own@two/fixpoint, postgres:///fixpoint'),
      PGPASSWORD_FILE: secretFile(' 100%\r\n'),
      REDIS_URL_FILE: secretFile('redis://:secret@redis:6379'),
      S3_URL_FILE: secretFile('https://KEY:SECRET@s3.example.org/bucket'),
      SMTP_URL_FILE: secretFile('smtps://user:password@mail.example.org'),
      OPS_TOKEN_FILE: secretFile('sixteen-letters!\n'),
    }

    expect(readConfig(env)).toMatchObject({
      databaseUrl: 'postgres://fix:%20100%25@db/fixpoint',
      replicaUrls: [
        'postgres://fix:%20100%25@one/fixpoint',
        'postgres://fix:own@two/fixpoint',
        'postgres:///fixpoint?password=+100%25',
      ],
      redisUrl: 'redis://:secret@redis:6379',
      s3Url: 'https://KEY:SECRET@s3.example.org/bucket',
      smtpUrl: 'smtps://user:password@mail.example.org',
      opsToken: 'sixteen-letters!',
    })
  })

  it.each([
    ['and OPS_TOKEN are both set: remove one of them', { OPS_TOKEN_FILE: 'any', OPS_TOKEN: 'sixteen-letters!' }],
    ['names a file that cannot be read (ENOENT)', { OPS_TOKEN_FILE: '/no/such/file' }],
    ['must name a file of at most 64 KiB', { OPS_TOKEN_FILE: '/dev/zero' }],
  ])('stop the start if OPS_TOKEN_FILE %s', (sentence, env) => {
    expect(() => readConfig(env)).toThrow(
      `The service cannot start because the environment is invalid:\n  OPS_TOKEN_FILE ${sentence}`,
    )
  })

  it.each([
    ['is empty', '', 'OPS_TOKEN_FILE names an empty file'],
    ['contains a line break only', ' \n', 'OPS_TOKEN_FILE names an empty file'],
    ['is larger than any secret', 'x'.repeat(64 * 1024 + 1), 'OPS_TOKEN_FILE must name a file of at most 64 KiB'],
    ['contains an invalid value', 'short', 'OPS_TOKEN_FILE must name a file that contains 16 to 200 ASCII characters'],
  ])('stop the start if the file %s', (_, content, sentence) => {
    expect(() => readConfig({ OPS_TOKEN_FILE: secretFile(content) })).toThrow(sentence)
  })

  it('stop the start if the path is a folder', () => {
    const folder = join(createTemporaryFolder(), 'folder')
    mkdirSync(folder)

    expect(() => readConfig({ SMTP_URL_FILE: folder })).toThrow('SMTP_URL_FILE must name a file')
  })

  it('count as not set if blank', () => {
    expect(readConfig({ OPS_TOKEN_FILE: ' ' })).toEqual(readConfig({}))
  })

  it('end the process with one sentence without secrets if the file is unreadable', async () => {
    const { code, stderr } = await runNode('jobs/worker.ts', [], { OPS_TOKEN_FILE: '/no/such/file', SMTP_URL: 'hunter2' })

    expect(code).toBe(1)
    expect(messagesIn(stderr)).toBe(
      'The service cannot start because the environment is invalid:\n' +
        '  OPS_TOKEN_FILE names a file that cannot be read (ENOENT)\n' +
        '  SMTP_URL must be an address like smtp://user:password@host:587 or smtps://user:password@host',
    )
  })
})
