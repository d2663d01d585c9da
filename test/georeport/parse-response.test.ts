import { describe, expect, it } from 'vitest'

import { listOf, parseRecords, textOf } from '../../src/georeport/parse-response.ts'

describe('a response of an endpoint', () => {
  it.each([
    ['JSON', '[{"service_request_id": 638344, "status": "open", "description": null}]'],
    ['JSON after a byte order mark', '\uFEFF[{"service_request_id": 638344, "status": "open"}]'],
    ['JSON in an object', '{"service_requests": [{"service_request_id": "638344", "status": "open"}]}'],
    ['JSON without a list', '{"service_request_id": "638344", "status": "open"}'],
    [
      'XML',
      '<?xml version="1.0" encoding="utf-8"?>\n<service_requests><request><service_request_id>638344</service_request_id><status>open</status><description/></request></service_requests>',
    ],
  ])('is read as %s', (_, text) => {
    const [record, ...others] = parseRecords(text)

    expect(others).toEqual([])
    expect(record && ['service_request_id', 'status', 'description'].map((name) => textOf(record, name))).toEqual([
      '638344',
      'open',
      undefined,
    ])
  })

  it('has the same attributes of a service in JSON and XML', () => {
    const json = `{"service_code": "1", "attributes": [{"code": "A", "description": "How wide?", "values": [{"key": "1", "name": "Narrow"}]}]}`
    const xml = `<service_definition><service_code>1</service_code><attributes><attribute><code>A</code><description>How wide?</description>
      <values><value><key>1</key><name>Narrow</name></value></values></attribute></attributes></service_definition>`

    for (const text of [json, xml]) {
      const [definition] = parseRecords(text)
      const [attribute] = definition ? listOf(definition, 'attributes') : []
      expect(attribute && textOf(attribute, 'description')).toBe('How wide?')
      expect(attribute && listOf(attribute, 'values')).toEqual([{ key: '1', name: 'Narrow' }])
    }
  })

  it.each([
    ['of another kind', 'Not found', 'neither JSON nor XML'],
    ['that is empty', '', 'neither JSON nor XML'],
    ['that is cut', '<service_requests><request>', 'not well-formed'],
    ['that is too deep', `${'['.repeat(40)}${']'.repeat(40)}`, 'too many or too deep'],
    ['that is too deep in XML', '<a>'.repeat(40), 'too many or too deep'],
    ['that has too many values', `[${'1,'.repeat(300_000)}1]`, 'too many or too deep'],
  ])('%s is refused', (_, text, message) => {
    expect(() => parseRecords(text)).toThrow(message)
  })

  it('does not expand entities that it declares', () => {
    const laughs = `<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><errors><error><description>&b;</description></error></errors>`

    expect(() => parseRecords(laughs)).toThrow('not well-formed')
  })

  it('has no characters that PostgreSQL cannot store', () => {
    const [record] = parseRecords(String.raw`[{"description": "a\u0000b\ud800"}]`)

    expect(record && textOf(record, 'description')).toBe('ab\uFFFD')
  })
})
