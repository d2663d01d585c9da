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
      seen: [
        'Our side of the block was skipped, the other side was collected.',
        'The truck came by, stopped, and drove on.',
        'Everything has been out since {5-7} in the morning.',
      ],
      matters: ['Third week in a row.', 'It starts to smell and brings rats.', 'The bins block the sidewalk.'],
      asked: ['Please send the truck back.', 'Can we get on a fixed schedule again?'],
      fixed: ['Collected this morning.', 'Crew went back and cleared the block.'],
    },
    {
      summaries: [
        'Overflowing trash can at {street} and {cross}',
        'Street basket full at {cross}',
        'Trash can outside {near} never emptied',
      ],
      seen: [
        'It has not been emptied in {4-9} days.',
        'People now put their bags around it.',
        'The lid is gone and birds pull it all out.',
      ],
      matters: ['The wind carries it down the street.', 'It looks awful, right outside {near}.'],
      asked: ['Please empty it more often.', 'Please put a second one here.'],
      fixed: ['Emptied and swept.', 'A larger can has been placed here.'],
    },
    {
      summaries: ['Litter along {street} in {hood}', 'Broken glass on {street}', 'Trash all over the sidewalk outside {near}'],
      seen: ['It lies along the whole curb.', 'It was left after the weekend.', 'A bag has burst and nobody has swept.'],
      matters: ['Dogs cut their paws.', 'It all ends up in the storm drain.'],
      asked: ['Please sweep here.', 'Could the sweeper come on a day without parked cars?'],
      fixed: ['Swept this morning.', 'Cleaned by hand, thank you for telling us.'],
    },
  ],
  acknowledged: [
    'Sorry about that. A crew will come tomorrow.',
    'The crew for {hood} has been told.',
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
      seen: [
        'A mattress, a sofa and about {5-20} black bags.',
        'Looks like somebody cleaned out a whole apartment.',
        'It appeared overnight, there was a white pickup here around {9-11} p.m.',
        'The pile grows every few days.',
      ],
      matters: [
        'It blocks the sidewalk completely.',
        'Once something lies here, more follows.',
        'It is the fifth time this year.',
        'Kids play around it.',
      ],
      asked: [
        'Please pick it up.',
        'Please put a camera here.',
        'A no dumping sign might help.',
        'Please clear it before it spreads.',
      ],
      fixed: ['Removed today.', 'The pile is gone and the spot was swept.', 'Cleared. Enforcement is following up on who did it.'],
    },
    {
      summaries: [
        'Construction debris dumped near {near}',
        'Tires dumped behind {near}',
        'Paint cans and tires on the lot on {street}',
      ],
      seen: ['Drywall, tiles and buckets of paint.', '{4-15} tires and a water heater.', 'Must be from a shop or a building site.'],
      matters: ['There are nails in it.', 'Something oily is leaking out.'],
      asked: ['Please take it away and find out who did it.'],
      fixed: ['Our truck with the claw took it away today.', 'Removed and sent to the hazardous waste site.'],
    },
  ],
  acknowledged: [
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
      seen: [
        'Black spray paint, about {4-12} feet long.',
        'The same tag is on {3-8} spots along the block.',
        'It was painted over last month and is back.',
      ],
      matters: [
        'It makes the whole block look abandoned.',
        'The shop owner has painted over it twice at her own cost.',
        'It is right across from the school.',
      ],
      asked: ['Please remove it.', 'Please use a coating this time.', 'Do you have paint for owners who want to do it themselves?'],
      fixed: ['Painted over.', 'Removed with the pressure washer.', 'Cleaned and coated.'],
    },
    {
      summaries: ['Offensive graffiti in {hood}', 'Hateful words sprayed on {street}'],
      seen: ['It is a slur, I would rather not write it here.', 'Letters {1-3} feet high, right at the corner.'],
      matters: ['Children read it on the way to school.', 'People here are hurt by it.'],
      asked: ['Please take it off today.'],
      fixed: ['Removed within the day.', 'Removed. The police have been told as well.'],
    },
    {
      summaries: ['Tags all over the mailboxes on {street}', 'Bus shelter scratched and tagged at {cross}'],
      seen: ['It is scratched into the glass, so paint will not cover it.', 'Every side is covered.'],
      matters: ['You cannot read the timetable.', 'It was new this spring.'],
      asked: ['Please clean it or replace the panels.'],
      fixed: ['The panels were replaced.', 'Cleaned with solvent.'],
    },
  ],
  acknowledged: [
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
      seen: [
        'Flat tires, broken window, leaves all around it.',
        'The inspection ran out last year.',
        'Fluid is running out from under it.',
        'It was left here after a crash and nobody came back.',
      ],
      matters: [
        'Parking is hard enough on this block.',
        'People have started to throw trash in it.',
        'The street sweeper goes around it every week.',
      ],
      asked: ['Please tow it.', 'Please check whether it is stolen.', 'Please tag it at least.'],
      fixed: ['Towed this morning.', 'The vehicle was gone when we came.', 'The owner moved it after the notice.'],
    },
    {
      summaries: [
        'Abandoned trailer outside {near}',
        'Boat on a trailer parked on {street}',
        'RV parked on {street} for {2-5} months',
      ],
      seen: ['It takes up {2-3} parking spaces.', 'It sticks out into the lane.'],
      matters: ['It blocks the view for everyone who pulls out.', 'Nobody here knows whose it is.'],
      asked: ['Is this allowed?', 'Please have it moved.'],
      fixed: ['Moved by the owner after a notice.', 'Towed with the big truck.'],
    },
    {
      summaries: ['Scooters block the sidewalk on {street}', 'Rental bikes thrown in a heap at {cross}'],
      seen: ['{4-12} of them, right across the sidewalk.', 'Half of them are broken.'],
      matters: ['A blind neighbor cannot get past.', 'They fall over whenever it is windy.'],
      asked: ['Please have the company pick them up.', 'A marked space for them would help.'],
      fixed: ['The company picked them up.', 'Moved, and the company was fined.'],
    },
  ],
  acknowledged: [
    'Tagged today. The owner has {3-5} days.',
    'Thank you, an officer will come by.',
    'Checked and passed to the towing desk.',
  ],
}
