import type { Category } from './categories.ts'
import type { RequestTypeKey } from './cities/city.ts'

interface QuestionBase {
  readonly question: string
  /** Private answers are shown only to staff of the organisation. */
  readonly visibility?: 'private'
  readonly required?: boolean
}

export type QuestionSpec = QuestionBase &
  (
    | { readonly type: 'text' | 'textarea'; readonly answers: readonly string[] }
    | { readonly type: 'select' | 'multivaluelist'; readonly choices: readonly string[] }
    | { readonly type: 'number'; readonly range: readonly [number, number] }
    | { readonly type: 'datetime'; readonly daysBefore: number }
    | { readonly type: 'boolean'; readonly yes: number; readonly builtIn?: 'offensive' }
    | { readonly type: 'note' }
  )

export interface RequestTypeSpec {
  readonly title: string
  readonly category: Category
  readonly questions: readonly QuestionSpec[]
}

const plates = ['7KDR 482', 'BXN-3391', 'ALT 204', 'GHM 7721', 'no plate', 'RZE-118', '4PLV 093', 'temporary paper tag']
const phones = ['555-0107', '555-0119', '555-0142', '555-0163', '555-0188', '555-0194']

export const requestTypeSpecs: Readonly<Record<RequestTypeKey, RequestTypeSpec>> = {
  pothole: {
    title: 'Pothole',
    category: 'pothole',
    questions: [
      {
        question: 'How wide is it?',
        type: 'select',
        choices: ['Like a dinner plate', 'Like a bicycle wheel', 'Wider'],
        required: true,
      },
      {
        question: 'Where on the road is it?',
        type: 'multivaluelist',
        choices: ['Travel lane', 'Bike lane', 'Parking lane', 'Crosswalk', 'Bus stop'],
      },
      { question: 'Has it damaged a vehicle?', type: 'boolean', yes: 0.2 },
      { question: 'Claims for damage are handled by the city attorney, not by this form.', type: 'note' },
    ],
  },
  sidewalk: {
    title: 'Broken sidewalk or ramp',
    category: 'sidewalk',
    questions: [
      { question: 'How high is the step, in inches?', type: 'number', range: [1, 6] },
      { question: 'Can a wheelchair pass?', type: 'boolean', yes: 0.35 },
    ],
  },
  graffiti: {
    title: 'Graffiti',
    category: 'graffiti',
    questions: [
      { question: 'Is it offensive?', type: 'boolean', yes: 0.15, builtIn: 'offensive' },
      {
        question: 'What is it painted on?',
        type: 'select',
        choices: ['Brick', 'Metal', 'Glass', 'Wood', 'Concrete', 'Something else'],
      },
      { question: 'Telephone number of the owner, if you know it', type: 'text', answers: phones, visibility: 'private' },
    ],
  },
  dumping: {
    title: 'Illegal dumping',
    category: 'dumping',
    questions: [
      {
        question: 'What was dumped?',
        type: 'multivaluelist',
        choices: ['Furniture', 'Mattress', 'Bags of trash', 'Tires', 'Building material', 'Electronics', 'Something dangerous'],
        required: true,
      },
      { question: 'When did you first see it?', type: 'datetime', daysBefore: 6 },
      {
        question: 'Did you see who did it? Only investigators read this.',
        type: 'textarea',
        answers: [
          'White pickup, two men, around midnight.',
          'The people who moved out last week.',
          'A van of a painting company.',
          'No.',
        ],
        visibility: 'private',
      },
    ],
  },
  trash: {
    title: 'Missed collection or full can',
    category: 'trash',
    questions: [
      {
        question: 'Which collection?',
        type: 'select',
        choices: ['Trash', 'Recycling', 'Compost', 'Bulk', 'Public can'],
        required: true,
      },
      { question: 'When should it have been collected?', type: 'datetime', daysBefore: 4 },
    ],
  },
  'street-light': {
    title: 'Street light',
    category: 'street-light',
    questions: [
      {
        question: 'Number on the pole',
        type: 'text',
        answers: ['04-1127', '12-0398', '21-5510', '33-0071', 'cannot read it', '07-2204'],
      },
      { question: 'What is wrong?', type: 'select', choices: ['Out', 'Flickers', 'On by day', 'Pole damaged'], required: true },
      { question: 'Is the whole block dark?', type: 'boolean', yes: 0.3 },
    ],
  },
  signal: {
    title: 'Traffic signal',
    category: 'traffic-signal',
    questions: [
      { question: 'When did you notice it?', type: 'datetime', daysBefore: 2 },
      {
        question: 'Which way were you going?',
        type: 'text',
        answers: ['north', 'southbound', 'east', 'west, turning left', 'on foot'],
      },
      { question: 'If wires are down, call 911.', type: 'note' },
    ],
  },
  sign: {
    title: 'Missing or damaged sign',
    category: 'sign',
    questions: [
      {
        question: 'Which sign is it?',
        type: 'select',
        choices: ['Stop', 'One way', 'Street name', 'Parking', 'Another'],
        required: true,
      },
    ],
  },
  parking: {
    title: 'Parking',
    category: 'parking',
    questions: [
      { question: 'License plate', type: 'text', answers: plates, visibility: 'private' },
      { question: 'Does it happen again and again?', type: 'boolean', yes: 0.6 },
    ],
  },
  vehicle: {
    title: 'Abandoned vehicle',
    category: 'vehicle',
    questions: [
      { question: 'License plate', type: 'text', answers: plates, visibility: 'private' },
      {
        question: 'Make and color',
        type: 'text',
        answers: ['silver Honda', 'white van', 'green Ford pickup', 'blue, no idea', 'black sedan'],
      },
      { question: 'For how many days has it been there?', type: 'number', range: [3, 90] },
    ],
  },
  snow: {
    title: 'Snow or ice',
    category: 'snow',
    questions: [
      { question: 'What is covered?', type: 'multivaluelist', choices: ['Road', 'Sidewalk', 'Bus stop', 'Curb ramp', 'Bike lane'] },
    ],
  },
  leak: {
    title: 'Water leak or blocked drain',
    category: 'water',
    questions: [
      { question: 'Is the street flooding?', type: 'boolean', yes: 0.25 },
      { question: 'When did it start?', type: 'datetime', daysBefore: 3 },
    ],
  },
  drain: {
    title: 'Blocked storm drain',
    category: 'water',
    questions: [{ question: 'How deep is the water, in inches?', type: 'number', range: [1, 18] }],
  },
  tree: {
    title: 'Fallen or dangerous tree',
    category: 'tree',
    questions: [
      { question: 'How thick is the trunk or branch, in inches?', type: 'number', range: [3, 30] },
      { question: 'Does it touch wires?', type: 'boolean', yes: 0.15 },
      { question: 'Stay away from a tree that touches a wire and call 911.', type: 'note' },
    ],
  },
  pruning: {
    title: 'Pruning or planting of a street tree',
    category: 'tree',
    questions: [
      { question: 'May we contact the owner of the lot? Telephone number', type: 'text', answers: phones, visibility: 'private' },
    ],
  },
  park: {
    title: 'Park maintenance',
    category: 'park',
    questions: [
      {
        question: 'What needs attention?',
        type: 'multivaluelist',
        choices: ['Grass', 'Litter', 'Bench', 'Restroom', 'Lights', 'Fountain', 'Path'],
      },
    ],
  },
  playground: {
    title: 'Playground or sports field',
    category: 'park',
    questions: [
      { question: 'Could someone get hurt?', type: 'boolean', yes: 0.4 },
      {
        question: 'Anything else that helps us to find it',
        type: 'textarea',
        answers: ['Next to the big slide.', 'By the north gate.', 'Court 2.'],
      },
    ],
  },
}

export const communitySpecs: readonly RequestTypeSpec[] = [
  {
    title: 'Noise',
    category: 'noise',
    questions: [
      {
        question: 'Where does it come from?',
        type: 'select',
        choices: ['Home', 'Bar', 'Building site', 'Traffic', 'Somewhere else'],
      },
      { question: 'When was it?', type: 'datetime', daysBefore: 2 },
    ],
  },
  {
    title: 'Neighborhood clean-up',
    category: 'trash',
    questions: [{ question: 'How many people would help?', type: 'number', range: [2, 25] }],
  },
  {
    title: 'Idea for the neighborhood',
    category: 'other',
    questions: [{ question: 'Would you help with it?', type: 'boolean', yes: 0.7 }],
  },
]
