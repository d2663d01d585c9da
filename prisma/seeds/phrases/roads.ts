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
      seen: [
        'It is about {2-4} feet across and at least {3-8} inches deep.',
        'The old patch has washed out and the edges are sharp.',
        'You cannot see it at night or when it is full of water.',
        'It started as a crack and grows every week.',
        'It is hard to miss, just past {near}.',
      ],
      matters: [
        'Cars swerve across the line to miss it.',
        'I watched two people on bikes go down here this month.',
        'My neighbor bent a rim on it last week.',
        'Buses hit it all day and you can hear it inside the house.',
        'Everyone brakes hard at the last second.',
      ],
      asked: [
        'Please fill it before somebody gets hurt.',
        'A proper repair would help, the cold patch never lasts.',
        'It has been reported {2-4} times, please send a crew.',
        'Even a cone would help until it is fixed.',
      ],
      fixed: [
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
      seen: [
        'There are {3-6} of them in a row, right where the wheels go.',
        'They run from {near} to the next corner.',
        'The whole lane is cracked like a dry lake.',
      ],
      matters: ['You have to zigzag around them.', 'Bikes have no way around.', 'The ambulance slows to a crawl here.'],
      asked: ['Could this block go on the repaving list?', 'Please mill it and pave it once, instead of patching it every spring.'],
      fixed: ['Crew milled and patched the whole lane here.', 'All of them were filled today.'],
    },
  ],
  acknowledged: [
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
      seen: [
        'One piece stands {2-4} inches higher than the next.',
        '{3-6} squares in front of the house are loose.',
        'It is all broken up for about {5-20} feet.',
      ],
      matters: [
        'An older man fell here on Sunday.',
        'Nobody with a stroller can get through.',
        'Kids walk this way to school every morning.',
        'In the dark you do not see it at all.',
      ],
      asked: [
        'Please repair it.',
        'Who is responsible here, the owner or the city?',
        'A bit of asphalt would already make it safe.',
      ],
      fixed: [
        'The broken part was replaced this week.',
        'We have ground the edge down, it is level now.',
        'Asphalt ramp placed until it can be replaced.',
      ],
    },
    {
      summaries: ['Missing curb ramp at {street} and {cross}', 'Curb crumbling at {cross}', 'Curb ramp too steep outside {near}'],
      seen: ['The ramp was torn out during the gas work and never put back.', 'The concrete is gone and the steel sticks out.'],
      matters: ['Wheelchairs have to go out into the traffic.', 'My mother has to take the long way round.'],
      asked: ['Please put a proper ramp in.', 'When is this corner due?'],
      fixed: ['New curb ramp is in.', 'The corner was rebuilt with two ramps.'],
    },
    {
      summaries: ['Sidewalk closed on {street} for {2-6} months', 'Sidewalk blocked by scaffolding on {street}'],
      seen: ['The fence takes the whole width, and nobody has worked here in weeks.', 'There is no sign and no way around.'],
      matters: ['Everybody walks in the road.', 'It is the way to the bus for half of {hood}.'],
      asked: ['Please make them keep a path open.', 'Does this site have a permit?'],
      fixed: ['The contractor has opened a covered path.', 'The permit ran out and the fence is gone.'],
    },
  ],
  acknowledged: [
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
      seen: [
        'It has been out for {2-6} weeks.',
        'The lamp comes on for a minute, goes off, and starts again.',
        'The glass is broken and nothing lights up.',
      ],
      matters: [
        'It is pitch dark here after six and people avoid this side.',
        'Drivers do not see people who cross.',
        'I walk home from the late shift along here.',
      ],
      asked: ['Please replace the lamp.', 'Please check it after dark.', 'Please send this to the utility if the pole is theirs.'],
      fixed: ['Lamp replaced with an LED, please check tonight.', 'Fixed, it was the photocell.'],
    },
    {
      summaries: [
        '{2-5} street lights out in a row on {street}',
        'Whole block of {street} is dark',
        'All lights out between {near} and {cross}',
      ],
      seen: ['Everything on this side is off, the other side is fine.', 'It went dark after the storm.'],
      matters: ['There have been break-ins on this block since.', 'You need a flashlight to find your own door.'],
      asked: ['Please check the whole circuit and not just one lamp.'],
      fixed: ['The cable fault was repaired and the block is lit again.', 'A fuse had gone, all lamps work again.'],
    },
    {
      summaries: ['Light pole leaning on {street}', 'Open wires at the base of a light pole on {street}'],
      seen: ['A car hit it last night.', 'The cover at the bottom is gone and you can see the wires.'],
      matters: ['Dogs and children walk right past it.', 'It moves when the wind blows.'],
      asked: ['Could somebody make it safe today?'],
      fixed: ['New pole is up.', 'The wires are covered and the pole was checked.'],
    },
  ],
  acknowledged: [
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
      seen: ['Nobody knows whose turn it is.', 'It has not changed in {10-30} minutes.'],
      matters: [
        'Two near misses while I was standing there.',
        'It backs up for {2-4} blocks.',
        'There is a school around the corner.',
      ],
      asked: ['Please send a technician.', 'Can an officer direct traffic until it is repaired?'],
      fixed: ['Signal is back in normal operation.', 'Controller replaced.'],
    },
    {
      summaries: [
        'Walk button does not work at {street} and {cross}',
        'Green too short to cross {street}',
        'Left turn arrow never comes, {street}',
      ],
      seen: ['Stand there for three rounds and you will see it.', 'It used to work before the road was repaved.'],
      matters: ['Older people only make it halfway across.', 'People cross on red because of it.'],
      asked: ['Please check the timing.', 'Please look at it at rush hour.'],
      fixed: ['Timing changed by {3-6} seconds.', 'The sensor was replaced and tested.'],
    },
  ],
  acknowledged: ['A signal technician is on the way.', 'We will review this corner.', 'A part is on order.'],
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
      seen: ['The pole is lying in the grass.', 'Somebody has backed into it.', 'Only the stump of the pole is left.'],
      matters: [
        'Drivers go straight through.',
        'Visitors turn the wrong way here every day.',
        'Delivery drivers keep asking us where they are.',
      ],
      asked: ['Please put it back up.', 'A temporary sign would do for now.'],
      fixed: ['New sign and pole are up.', 'Sign straightened and the bolts replaced.'],
    },
    {
      summaries: [
        'Stop sign hidden by a tree, {street}',
        'No parking sign faded on {street}',
        'School zone sign covered in stickers, {street}',
      ],
      seen: ['You only see it when you are right in front of it.', 'Nobody can read it any more.'],
      matters: ['People get tickets because of it.', 'It is the only sign on the whole block.'],
      asked: ['Please have a look when you are here next.', 'Please replace it or make it visible.'],
      fixed: ['The sign can be seen again.', 'Replaced with a new one.'],
    },
  ],
  acknowledged: ['The sign shop has been told.', 'Thanks, a crew will come this week.'],
}
