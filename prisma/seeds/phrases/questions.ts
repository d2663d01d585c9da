/** Questions with answers; {city}, {street} and {park} are placeholders. The first answer gets the most votes. */
export const communityQuestions: readonly { readonly question: string; readonly answers: readonly string[] }[] = [
  {
    question: 'Where can I drop off old paint and batteries in {city}?',
    answers: [
      'The household hazardous waste site takes both. Bring proof that you live in {city}.',
      "Most hardware stores take batteries, so you don't need to drive across town.",
    ],
  },
  {
    question: 'How do I get a parking permit for a moving truck on {street}?',
    answers: [
      'Apply online at least three working days ahead, then put the signs up yourself the evening before.',
      'In my experience no one checks, but your neighbors will appreciate the signs.',
    ],
  },
  {
    question: 'Who plants new street trees, and can I ask for one?',
    answers: [
      'The city plants in spring and fall. Report an empty pit here and they put it on the list.',
      'There is also a volunteer group in {city} that plants on Saturdays.',
      'You may plant your own with a permit, it is free.',
    ],
  },
  {
    question: 'Is there a public restroom near {park}?',
    answers: ['Yes, by the main entrance, open from eight until dusk.', 'The library lets you in as well.'],
  },
  {
    question: 'What does Acknowledged mean here, and how long does it take from there?',
    answers: ['Someone at the city has read it and assigned it. Potholes usually take about a week, sidewalks can take months.'],
  },
  {
    question: 'When is the next neighborhood clean-up in {city}?',
    answers: ['First Saturday of the month, gloves and bags are provided.', 'Check the notice board in {park}.'],
  },
  {
    question: 'Can the speed limit on {street} be lowered?',
    answers: [
      'You need signatures from half of the households, then the city has to measure the traffic.',
      'They did it two blocks over.',
    ],
  },
  {
    question: 'Who do I call when a street light is out for more than a month?',
    answers: ['Report it here again with the number on the pole, that goes straight to the electric crew.'],
  },
  {
    question: "Does anyone know what's being built on the corner of {street}?",
    answers: ['Apartments with a grocery store on the ground floor, according to the notice on the fence.'],
  },
  { question: 'Are dogs allowed off leash in {park} in the morning?', answers: [] },
  { question: 'Which bins go out during a holiday week?', answers: [] },
]
