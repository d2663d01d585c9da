import type { Phrases } from './phrases.ts'

export const trash: Phrases = {
  scenes: [
    {
      summaries: [
        'Trash not picked up on {street}',
        'Recycling missed again on {street}',
        'Missed trash collection, whole block of {street}',
        'Bulk pickup never came to {street}',
        'Bins still full on {street} near {cross}',
      ],
      observations: [
        'Our side of the block was skipped, the other side was collected.',
        'The truck came by, stopped, and drove on.',
        'Everything has been out since {5-7} in the morning.',
      ],
      reasons: ['Third week in a row.', 'It starts to smell and brings rats.', 'The bins block the sidewalk.'],
      requests: ['Please send the truck back.', 'Can we get on a fixed schedule again?'],
      closingComments: ['Collected this morning.', 'Crew went back and cleared the block.'],
    },
    {
      summaries: [
        'Overflowing trash can at {street} and {cross}',
        'Street basket full at {cross}',
        'Trash can outside {near} never emptied',
      ],
      observations: [
        'It has not been emptied in {4-9} days.',
        'People now put their bags around it.',
        'The lid is gone and birds pull it all out.',
      ],
      reasons: ['The wind carries it down the street.', 'It looks awful, right outside {near}.'],
      requests: ['Please empty it more often.', 'Please put a second one here.'],
      closingComments: ['Emptied and swept.', 'A larger can has been placed here.'],
    },
    {
      summaries: ['Litter along {street} in {hood}', 'Broken glass on {street}', 'Trash all over the sidewalk outside {near}'],
      observations: ['It lies along the whole curb.', 'It was left after the weekend.', 'A bag burst and no one has swept it up.'],
      reasons: ['Dogs cut their paws.', 'It all ends up in the storm drain.'],
      requests: ['Please sweep here.', 'Could the sweeper come on a day without parked cars?'],
      closingComments: ['Swept this morning.', 'Cleaned by hand, thank you for letting us know.'],
    },
  ],
  acknowledgements: [
    'Sorry about that. A crew will come tomorrow.',
    'We have notified the crew for {hood}.',
    'We had trucks out of service this week and are catching up.',
  ],
}

export const dumping: Phrases = {
  scenes: [
    {
      summaries: [
        'Illegal dumping on {street}',
        'Mattress dumped at {street} and {cross}',
        'Couch and bags left on {street}',
        'Dumped TV and furniture on {street}',
        'Pile of trash growing on {street} near {cross}',
        'Someone emptied a moving truck on {street}',
        'Illegal dumping in the alley off {street}',
      ],
      observations: [
        'A mattress, a sofa and about {5-20} black bags.',
        'Looks like someone cleaned out a whole apartment.',
        'It appeared overnight, there was a white pickup here around {9-11} p.m.',
        'The pile grows every few days.',
      ],
      reasons: [
        'It blocks the sidewalk completely.',
        'Once something lies here, more follows.',
        'It is the fifth time this year.',
        'Kids play around it.',
      ],
      requests: [
        'Please pick it up.',
        'Please put a camera here.',
        'A no dumping sign might help.',
        'Please clear it before it spreads.',
      ],
      closingComments: [
        'Removed today.',
        'The pile is gone and the spot was swept.',
        'Cleared. Enforcement is following up on who did it.',
      ],
    },
    {
      summaries: [
        'Construction debris dumped near {near}',
        'Tires dumped behind {near}',
        'Paint cans and tires on the lot on {street}',
      ],
      observations: [
        'Drywall, tiles and buckets of paint.',
        '{4-15} tires and a water heater.',
        'Must be from a shop or a building site.',
      ],
      reasons: ['There are nails in it.', 'Something oily is leaking out.'],
      requests: ['Please take it away and find out who did it.'],
      closingComments: ['Our truck with the claw took it away today.', 'Removed and sent to the hazardous waste site.'],
    },
  ],
  acknowledgements: [
    'Assigned to the cleaning crew, usually within {2-5} days.',
    'We found an address in the pile and passed it to enforcement.',
    'Too large for our van, a bigger truck is scheduled.',
  ],
}

export const graffiti: Phrases = {
  scenes: [
    {
      summaries: [
        'Graffiti on {street}',
        'Graffiti on the wall of {near}',
        'Fresh graffiti on {street} near {cross}',
        'Graffiti on traffic signal box, {street}',
        'Stickers and tags on every pole of {street}',
        'Graffiti on the underpass at {street}',
        'Mural tagged over on {street}',
      ],
      observations: [
        'Black spray paint, about {4-12} feet long.',
        'The same tag is on {3-8} spots along the block.',
        'It was painted over last month and is back.',
      ],
      reasons: [
        'It makes the whole block look abandoned.',
        'The shop owner has painted over it twice at her own cost.',
        'It is right across from the school.',
      ],
      requests: [
        'Please remove it.',
        'Please use a coating this time.',
        'Do you have paint for owners who want to do it themselves?',
      ],
      closingComments: ['Painted over.', 'Removed with the pressure washer.', 'Cleaned and coated.'],
    },
    {
      summaries: ['Offensive graffiti in {hood}', 'Hateful words sprayed on {street}'],
      observations: ['It is a slur, I would rather not write it here.', 'Letters {1-3} feet high, right at the corner.'],
      reasons: ['Children read it on the way to school.', 'People here are hurt by it.'],
      requests: ['Please take it off today.'],
      closingComments: ['Removed within the day.', 'Removed. We have also notified the police.'],
    },
    {
      summaries: ['Tags all over the mailboxes on {street}', 'Bus shelter scratched and tagged at {cross}'],
      observations: ['It is scratched into the glass, so paint will not cover it.', 'Every side is covered.'],
      reasons: ['You cannot read the timetable.', 'It was new this spring.'],
      requests: ['Please clean it or replace the panels.'],
      closingComments: ['The panels were replaced.', 'Cleaned with solvent.'],
    },
  ],
  acknowledgements: [
    'The graffiti team will come this week.',
    'Private property: we have sent the owner a notice and a voucher for paint.',
    'Thanks, it is on the list of the graffiti team.',
  ],
}

export const vehicle: Phrases = {
  scenes: [
    {
      summaries: [
        'Abandoned car on {street}',
        'Car without plates on {street} near {cross}',
        'Van has not moved in {3-9} weeks, {street}',
        'Burned out car on {street}',
        'Stripped car on {street}',
        'Abandoned car outside {near}',
      ],
      observations: [
        'Flat tires, broken window, leaves all around it.',
        'The inspection ran out last year.',
        'Fluid is running out from under it.',
        'It was left here after a crash and no one came back.',
      ],
      reasons: [
        'Parking is hard enough on this block.',
        'People have started to throw trash in it.',
        'The street sweeper goes around it every week.',
      ],
      requests: ['Please tow it.', 'Please check whether it is stolen.', 'Please tag it at least.'],
      closingComments: ['Towed this morning.', 'The vehicle was gone when we came.', 'The owner moved it after the notice.'],
    },
    {
      summaries: [
        'Abandoned trailer outside {near}',
        'Boat on a trailer parked on {street}',
        'RV parked on {street} for {2-5} months',
      ],
      observations: ['It takes up {2-3} parking spaces.', 'It sticks out into the lane.'],
      reasons: ['It blocks the view for everyone who pulls out.', 'No one here knows whose it is.'],
      requests: ['Is this allowed?', 'Please have it moved.'],
      closingComments: ['Moved by the owner after a notice.', 'Towed with the big truck.'],
    },
    {
      summaries: ['Abandoned bike on {street}', 'Bike left at the wall outside {near} for {2-5} months', 'Rusty bike on {street}'],
      observations: ['The chain has rusted solid.', 'Leaves have piled up around it.', 'Parts of it disappear every week.'],
      reasons: ['It takes up half of the sidewalk.', 'Strollers have to go around it.'],
      requests: ['Please tag it and take it away.', 'Could a repair shop have it?'],
      closingComments: ['Tagged for a week, then taken away.', 'Given to the bike kitchen, which will repair it.'],
    },
    {
      summaries: ['Scooters block the sidewalk on {street}', 'Rental bikes thrown in a heap at {cross}'],
      observations: ['{4-12} of them, right across the sidewalk.', 'Half of them are broken.'],
      reasons: ['A blind neighbor cannot get past.', 'They fall over whenever it is windy.'],
      requests: ['Please have the company pick them up.', 'A marked space for them would help.'],
      closingComments: ['The company picked them up.', 'Moved, and the company was fined.'],
    },
  ],
  acknowledgements: [
    'Tagged today. The owner has {3-5} days.',
    'Thank you, an officer will come by.',
    'Checked and passed to the towing desk.',
  ],
}
