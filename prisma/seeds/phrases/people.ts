import type { Phrases } from './phrases.ts'

export const noise: Phrases = {
  scenes: [
    {
      summaries: [
        'Loud music on {street} after midnight',
        'Loud parties in {hood} every weekend',
        'Fireworks every night near {park}',
      ],
      observations: ['It goes on until {2-4} in the morning.', 'You hear it {2-3} blocks away with the windows shut.'],
      reasons: [
        'The baby has not slept through in a week.',
        'No one on the block wants to say anything.',
        'I have to get up at five.',
      ],
      requests: ['Can someone talk to them?'],
      closingComments: ['We talked to the people there.', 'No more complaints in {2-3} weeks, closing.'],
    },
    {
      summaries: [
        'Construction noise before 7 a.m. on {street}',
        'Leaf blowers at {5-6} a.m. on {street}',
        'Generator running all night near {near}',
      ],
      observations: ['Every day, weekends too.', 'The whole house shakes.'],
      reasons: ['It is a residential street.', 'I work nights and cannot sleep.'],
      requests: ['Please check whether they have a permit.'],
      closingComments: ['Inspector visited, the owner got a warning.', 'The work is finished.'],
    },
    {
      summaries: ['Street racing on {street}', 'Car alarm on {street} for {2-5} hours'],
      observations: ['It is the third night in a row.', 'Started around {9-11} p.m.'],
      reasons: ['Someone is going to get hurt.', 'The whole block is awake.'],
      requests: ['Please send a patrol.', 'Speed humps would end this.'],
      closingComments: ['Patrols were here on {2-4} nights.'],
    },
  ],
  acknowledgements: ['We have passed this to the noise inspector.', 'Thank you, an inspector will come by this week.'],
}

export const parking: Phrases = {
  scenes: [
    {
      summaries: [
        'Car blocks the driveway on {street}',
        'Cars parked in the bike lane on {street}',
        'Double parking every evening on {street}',
        'Truck parked on the sidewalk at {cross}',
        'Cars park at the hydrant on {street}',
        'Car parked in the crosswalk, {street} and {cross}',
        'Delivery vans block the bus lane near {near}',
        'Disabled space taken without a permit, {street}',
      ],
      observations: [
        'Every night from {6-9} p.m. on.',
        'They put the hazards on and leave.',
        'It was the same when I came back two hours later.',
      ],
      reasons: [
        'The ambulance could not get through yesterday.',
        'Bikes have to merge into fast traffic.',
        'My mother cannot get past with her wheelchair.',
      ],
      requests: ['Please send parking enforcement.', 'Some posts would solve this.'],
      closingComments: ['Enforcement wrote {2-9} tickets here.', 'The vehicle was moved.', 'Posts are in.'],
    },
    {
      summaries: ['Parking meter broken on {street}', 'Pay station on {street} takes no cards'],
      observations: ['It takes the money and shows an error.', 'The screen has been black for {2-4} weeks.'],
      reasons: ['I got a ticket because of it.', 'Customers of {near} complain all day.'],
      requests: ['Please fix it, and please cancel my ticket.'],
      closingComments: ['Replaced and tested.'],
    },
  ],
  acknowledgements: ['Added to the evening round of parking enforcement.', 'Thanks, we will look at this block.'],
}

export const other: Phrases = {
  scenes: [
    {
      summaries: [
        'Vacant house open to anyone on {street}',
        'Weeds taller than me on {street}',
        'Empty lot on {street} needs a fence',
      ],
      observations: ['People go in and out.', 'It has been like this all year.'],
      reasons: ['I am worried about a fire.', 'It is right next to the school.'],
      requests: ['Who owns it?', 'Please secure it.'],
      closingComments: ['The property has been secured.', 'The owner has cleaned it up after our letter.'],
    },
    {
      summaries: ['Idea: benches along {street}', 'Bike rack needed outside {near}', 'Please open the gate to {park} earlier'],
      observations: ['There is nowhere to sit between {near} and the next corner.', 'Bikes are chained to every tree.'],
      reasons: ['A lot of older people live in {hood}.', 'It would make the street a nicer place.'],
      requests: ['Happy to help if the neighbors are allowed to.', 'Who can decide this?'],
      closingComments: ['Good idea, done!', 'We have brought it up in the planning meeting for {hood}.'],
    },
    {
      summaries: ['Crosswalk paint has worn off at {street} and {cross}', 'Speeding on {street}, please count the cars'],
      observations: ['You can hardly see the stripes any more.', 'Drivers go twice the limit here.'],
      reasons: ['No one stops for people on foot.', 'Two crashes this year.'],
      requests: ['Please have a look.', 'Please make it safer.'],
      closingComments: ['Repainted.', 'Speed was measured and two humps will be built.'],
    },
    {
      summaries: [
        'Wire hanging low over {street}',
        'Public clock on {street} is wrong',
        'Newspaper boxes falling apart at {cross}',
      ],
      observations: ['It has been like this for {2-8} weeks.', 'It is right outside {near}.'],
      reasons: ['It looks like no one cares.', "I'm not sure if it's dangerous."],
      requests: ['Who can help with this?', 'Please send this to the right department.'],
      closingComments: ['Done, thanks for letting us know.', 'The company has been here and fixed it.'],
    },
  ],
  acknowledgements: ['Thank you, we have sent this to the right department.', 'An inspector will have a look.'],
}
