import type { Phrases } from './phrases.ts'

export const pothole: Phrases = {
  scenes: [
    {
      summaries: [
        'Pothole on {street} near {cross}',
        'Deep pothole on {street}',
        'Large pothole at {street} and {cross}',
        'Pothole in the bike lane on {street}',
        'Pothole is back on {street}',
        'Pothole in the crosswalk at {cross}',
        'Dangerous pothole in {hood}',
        'Pothole {2-4} feet wide on {street}',
        'Sunken patch turning into a pothole, {street}',
        'Pothole at the bus stop on {street}',
        'Pothole ruined my tire on {street}',
      ],
      observations: [
        'It is about {2-4} feet across and at least {3-8} inches deep.',
        'The old patch has washed out and the edges are sharp.',
        'You cannot see it at night or when it is full of water.',
        'It started as a crack and grows every week.',
        'It is hard to miss, just past {near}.',
      ],
      reasons: [
        'Cars swerve across the line to miss it.',
        'I watched two people on bikes go down here this month.',
        'My neighbor bent a rim on it last week.',
        'Buses hit it all day and you can hear it inside the house.',
        'Everyone brakes hard at the last second.',
      ],
      requests: [
        'Please fill it before someone gets hurt.',
        'A proper repair would help, the cold patch never lasts.',
        'It has been reported {2-4} times, please send a crew.',
        'Even a cone would help until it is fixed.',
      ],
      closingComments: [
        'The pothole was filled with hot mix today.',
        'Patched this morning. Please tell us if it opens up again.',
        'Filled. The block is also on the list for resurfacing.',
      ],
    },
    {
      summaries: [
        'Potholes in the right lane of {street}',
        'Row of potholes on {street} by {near}',
        'Two new potholes outside {near}',
        'Potholes all along {street} in {hood}',
        'Road surface breaking up on {street}',
      ],
      observations: [
        'There are {3-6} of them in a row, right where the wheels go.',
        'They run from {near} to the next corner.',
        'The whole lane is cracked like a dry lake.',
      ],
      reasons: ['You have to zigzag around them.', 'Bikes have no way around.', 'The ambulance slows to a crawl here.'],
      requests: [
        'Could this block go on the repaving list?',
        'Please mill it and pave it once, instead of patching it every spring.',
      ],
      closingComments: ['Crew milled and patched the whole lane here.', 'All of them were filled today.'],
    },
  ],
  acknowledgements: [
    'Thanks for the report. A crew will look at it within {3-7} working days.',
    'Inspected this morning and put on the patching list.',
    'This block is on our route for next week.',
  ],
}

export const sidewalk: Phrases = {
  scenes: [
    {
      summaries: [
        'Broken sidewalk on {street}',
        'Trip hazard on the sidewalk, {street}',
        'Cracked sidewalk outside {near}',
        'Sidewalk lifted by tree roots near {cross}',
        'Loose bricks on the sidewalk of {street}',
        'Sunken sidewalk in {hood}',
      ],
      observations: [
        'One piece stands {2-4} inches higher than the next.',
        '{3-6} squares in front of the house are loose.',
        'It is all broken up for about {5-20} feet.',
      ],
      reasons: [
        'An older man fell here on Sunday.',
        "You can't get through with a stroller.",
        'Kids walk this way to school every morning.',
        "You can't see it at all in the dark.",
      ],
      requests: [
        'Please repair it.',
        'Who is responsible here, the owner or the city?',
        'A bit of asphalt would already make it safe.',
      ],
      closingComments: [
        'The broken part was replaced this week.',
        'We have ground the edge down, it is level now.',
        'Asphalt ramp placed until it can be replaced.',
      ],
    },
    {
      summaries: ['Missing curb ramp at {street} and {cross}', 'Curb crumbling at {cross}', 'Curb ramp too steep outside {near}'],
      observations: [
        'The ramp was torn out during the gas work and never put back.',
        'The concrete is gone and the steel sticks out.',
      ],
      reasons: ['Wheelchairs have to go out into the traffic.', 'My mother has to take the long way round.'],
      requests: ['Please put a proper ramp in.', 'When is this corner due?'],
      closingComments: ['New curb ramp is in.', 'The corner was rebuilt with two ramps.'],
    },
    {
      summaries: ['Sidewalk closed on {street} for {2-6} months', 'Sidewalk blocked by scaffolding on {street}'],
      observations: [
        'The fence takes up the whole sidewalk, and no one has worked here in weeks.',
        'There is no sign and no way around.',
      ],
      reasons: ['Everyone walks in the road.', 'It is the way to the bus for half of {hood}.'],
      requests: ['Please make them keep a path open.', 'Does this site have a permit?'],
      closingComments: ['The contractor has opened a covered path.', 'The permit ran out and the fence is gone.'],
    },
  ],
  acknowledgements: [
    'An inspector has looked at it and written to the owner.',
    'Thank you, we have added it to the sidewalk program for {hood}.',
    'Inspected. We will post the date here as soon as we have it.',
  ],
}

export const streetLight: Phrases = {
  scenes: [
    {
      summaries: [
        'Street light out on {street}',
        'Street light flickering at {street} and {cross}',
        'Broken lamp at the crosswalk, {cross}',
        'Light out in front of {near}',
      ],
      observations: [
        'It has been out for {2-6} weeks.',
        'The lamp comes on for a minute, goes off, and starts again.',
        'The glass is broken and nothing lights up.',
      ],
      reasons: [
        'It is pitch dark here after six and people avoid this side.',
        'Drivers do not see people who cross.',
        'I walk home from the late shift along here.',
      ],
      requests: [
        'Please replace the lamp.',
        'Please check it after dark.',
        'Please send this to the utility if the pole is theirs.',
      ],
      closingComments: ['Lamp replaced with an LED, please check tonight.', 'Fixed, it was the photocell.'],
    },
    {
      summaries: [
        '{2-5} street lights out in a row on {street}',
        'Whole block of {street} is dark',
        'All lights out between {near} and {cross}',
      ],
      observations: ['Everything on this side is off, the other side is fine.', 'It went dark after the storm.'],
      reasons: ['There have been break-ins on this block since.', 'You need a flashlight to find your own door.'],
      requests: ['Please check the whole circuit and not just one lamp.'],
      closingComments: ['The cable fault was repaired and the block is lit again.', 'A fuse had gone, all lamps work again.'],
    },
    {
      summaries: ['Light pole leaning on {street}', 'Open wires at the base of a light pole on {street}'],
      observations: ['A car hit it last night.', 'The cover at the bottom is gone and you can see the wires.'],
      reasons: ['Dogs and children walk right past it.', 'It moves when the wind blows.'],
      requests: ['Could someone make it safe today?'],
      closingComments: ['New pole is up.', 'The wires are covered and the pole was checked.'],
    },
  ],
  acknowledgements: [
    'Reported to the electric crew, work order opened.',
    'Thank you. We will test it tonight.',
    'We have passed this to the utility that owns the pole.',
  ],
}

export const trafficSignal: Phrases = {
  scenes: [
    {
      summaries: [
        'Traffic signal out at {street} and {cross}',
        'Flashing red at {street} and {cross} since {5-8} a.m.',
        'Signal dark outside {near}',
        'Signal stuck on red on {street}',
      ],
      observations: ['No one knows whose turn it is.', 'It has not changed in {10-30} minutes.'],
      reasons: [
        'Two near misses while I was standing there.',
        'It backs up for {2-4} blocks.',
        'There is a school around the corner.',
      ],
      requests: ['Please send a technician.', 'Can an officer direct traffic until it is repaired?'],
      closingComments: ['Signal is back in normal operation.', 'Controller replaced.'],
    },
    {
      summaries: [
        'Walk button does not work at {street} and {cross}',
        'Green too short to cross {street}',
        'Left turn arrow never comes, {street}',
      ],
      observations: ['Stand there for three rounds and you will see it.', 'It used to work before the road was repaved.'],
      reasons: ['Older people only make it halfway across.', 'People cross on red because of it.'],
      requests: ['Please check the timing.', 'Please look at it at rush hour.'],
      closingComments: ['Timing changed by {3-6} seconds.', 'The sensor was replaced and tested.'],
    },
  ],
  acknowledgements: ['A signal technician is on the way.', 'We will review this corner.', 'A part is on order.'],
}

export const sign: Phrases = {
  scenes: [
    {
      summaries: [
        'Stop sign down at {street} and {cross}',
        'Stop sign missing at {cross}',
        'One way sign knocked over on {street}',
        'Street name sign gone at {street} and {cross}',
        'Sign pole bent over the sidewalk near {near}',
      ],
      observations: ['The pole is lying in the grass.', 'Someone backed into it.', 'Only the stump of the pole is left.'],
      reasons: [
        'Drivers go straight through.',
        'Visitors turn the wrong way here every day.',
        'Delivery drivers keep asking us where they are.',
      ],
      requests: ['Please put it back up.', 'A temporary sign would do for now.'],
      closingComments: ['New sign and pole are up.', 'Sign straightened and the bolts replaced.'],
    },
    {
      summaries: [
        'Stop sign hidden by a tree, {street}',
        'No parking sign faded on {street}',
        'School zone sign covered in stickers, {street}',
      ],
      observations: ["You only see it when you're right in front of it.", "You can't read it anymore."],
      reasons: ['People get tickets because of it.', 'It is the only sign on the whole block.'],
      requests: ['Please have a look when you are here next.', 'Please replace it or make it visible.'],
      closingComments: ['The sign can be seen again.', 'Replaced with a new one.'],
    },
  ],
  acknowledgements: ['We have notified the sign shop.', 'Thanks, a crew will come this week.'],
}
