import { describe, expect, it } from 'vitest'

import { writeValidationErrors } from '../../src/errors/problems.ts'
import { checkAnswers } from '../../src/reporting/answers.ts'
import type { RequestTypeQuestion } from '../../src/request-types/schema.ts'

function check(...args: Parameters<typeof checkAnswers>) {
  const { answers, errors } = checkAnswers(...args)
  return { answers, errors: writeValidationErrors(errors, 'en') }
}

type QuestionFields = Partial<RequestTypeQuestion> & Pick<RequestTypeQuestion, 'question_type'>

const createQuestion = (question: QuestionFields): RequestTypeQuestion => ({
  primary_key: '12',
  question: 'What is it?',
  answer_kept_private: false,
  response_required: false,
  select_values: [
    { key: 'a', name: 'Asphalt' },
    { key: 'b', name: 'Brick' },
  ],
  ...question,
})

const answerTo = (question_type: RequestTypeQuestion['question_type'], value: unknown) => {
  const { answers, errors } = check([createQuestion({ question_type })], { '12': value })
  return answers[0] ? [answers[0].answer, answers[0].value] : errors['12']?.[0]
}

describe('checkAnswers', () => {
  it.each([
    ['text', '  a hole ', ['a hole', 'a hole']],
    ['textarea', 'two\nlines', ['two\nlines', 'two\nlines']],
    ['select', 'b', ['Brick', 'b']],
    ['multivaluelist', ['b', 'a', 'a'], ['Asphalt, Brick', ['a', 'b']]],
    ['multivaluelist', 'a', ['Asphalt', ['a']]],
    ['number', 12.5, ['12.5', 12.5]],
    ['number', '-3', ['-3', -3]],
    ['datetime', '2026-11-20T09:30:00Z', ['2026-11-20T09:30:00Z', '2026-11-20T09:30:00Z']],
    ['datetime', '2026-11-20T09:30:00 01:00', ['2026-11-20T09:30:00+01:00', '2026-11-20T09:30:00+01:00']],
    ['boolean', true, ['Yes', true]],
    ['boolean', 'false', ['No', false]],
  ] as const)('accepts for a %s question %j', (type, value, expected) => {
    expect(answerTo(type, value)).toEqual(expected)
  })

  it.each([
    ['text', 7, 'must be text'],
    ['text', 'x'.repeat(256), 'must not have more than 255 characters'],
    ['textarea', 'x'.repeat(10_001), 'must not have more than 10000 characters'],
    ['select', 'A', 'must be one of a, b'],
    ['select', 'Asphalt', 'must be one of a, b'],
    ['select', ['a'], 'must be one of a, b'],
    ['multivaluelist', ['a', 'c'], 'must be a list of one or more of a, b'],
    ['multivaluelist', { a: true }, 'must be a list of one or more of a, b'],
    ['number', 'twelve', 'must be a number, in digits, with a point before decimals'],
    ['number', '0x10', 'must be a number, in digits, with a point before decimals'],
    ['number', 1e21, 'must be a number, in digits, with a point before decimals'],
    ['datetime', 'yesterday', 'must be an ISO 8601 timestamp such as 2026-11-20T09:30:00Z'],
    ['datetime', '2026-01-31', 'must be an ISO 8601 timestamp such as 2026-11-20T09:30:00Z'],
    ['datetime', '2026-02-30', 'must be an ISO 8601 timestamp such as 2026-11-20T09:30:00Z'],
    ['boolean', 'yes', 'must be true or false'],
    ['boolean', 1, 'must be true or false'],
    ['file', 'picture.png', 'must be a file, sent as multipart/form-data'],
  ] as const)('rejects for a %s question %j', (type, value, error) => {
    expect(answerTo(type, value)).toBe(error)
  })

  it.each([undefined, null, '', ' \n', [], [''], [null]])('treats %j as a missing answer', (value) => {
    const question_type = 'multivaluelist'

    expect(check([createQuestion({ question_type })], { '12': value })).toEqual({ answers: [], errors: {} })
    expect(check([createQuestion({ question_type, response_required: true })], { '12': value }).errors).toEqual({
      '12': ['must not be blank'],
    })
  })
})

it('checkAnswers returns the errors of all answers by question and ignores other answers', () => {
  const questions = [
    createQuestion({ primary_key: 'summary', question_type: 'text', response_required: true }),
    createQuestion({ primary_key: '3', question_type: 'note', response_required: true }),
    createQuestion({ primary_key: '4', question_type: 'number', answer_kept_private: true }),
    createQuestion({ primary_key: '5', question_type: 'boolean' }),
    createQuestion({ primary_key: 'issue_image', question_type: 'file', response_required: true }),
  ]

  expect(check(questions, { '3': 'x', '4': '7', '5': 'maybe', '6': 'x', toString: 'x' })).toEqual({
    answers: [{ primary_key: '4', question: 'What is it?', answer: '7', value: 7, answer_kept_private: true, position: 2 }],
    errors: { summary: ['must not be blank'], '5': ['must be true or false'], issue_image: ['must not be blank'] },
  })
  expect(check(questions, { summary: 'x' }, new Set(['issue_image'])).errors).toEqual({})
})
