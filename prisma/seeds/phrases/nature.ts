import type { Phrases } from './phrases.ts'

export const tree: Phrases = {
  scenes: [
    {
      summaries: ['Tree down on {street}', 'Fallen limb in the bike lane, {street}', 'Large branch came down near {cross}'],
      observations: ['A limb of about {6-14} inches came down in the storm.', 'It split down the middle last night.'],
      reasons: ['One lane is blocked.', 'It only just missed a parked car.', 'You have to step into the road to get past.'],
      requests: ['Please send the forestry crew.', 'Please clear it before dark.'],
      closingComments: ['Cut up and hauled away.', 'Cleared. The rest of the tree was checked and is sound.'],
    },
    {
      summaries: [
        'Large branch hanging over {street}',
        'Branches block the sidewalk on {street}',
        'Street tree needs pruning on {street}',
        'Tree leaning on wires near {cross}',
        'Branches hide the street light on {street}',
      ],
      observations: [
        'The branches hang at head height.',
        'It has not been pruned in years.',
        'Ivy has grown all the way to the top.',
      ],
      reasons: [
        'It hangs over the spot where children wait for the bus.',
        'Trucks hit it every day.',
        'It will not survive the next storm.',
      ],
      requests: ['Please prune it before the next storm.', 'Please cut it back to {8-10} feet.'],
      closingComments: ['Pruned to {8-14} feet over the road.', 'Pruned together with the rest of the block.'],
    },
    {
      summaries: [
        'Dead tree outside {near}',
        'Stump left behind on {street}',
        'Empty tree pit on {street}, please plant',
        'Dying tree on {street}',
      ],
      observations: [
        'It has been like this for {2-3} summers.',
        'The bark is falling off all around.',
        'The pit is full of weeds and bottles.',
      ],
      reasons: ['The block has no shade left.', 'It used to be the nicest tree on the street.'],
      requests: ['Please plant a new one.', 'Can someone check if it can be saved?'],
      closingComments: [
        'Taken out, a new tree will be planted in the fall.',
        'A young oak was planted this week. Please water it!',
      ],
    },
  ],
  acknowledgements: [
    'An arborist will inspect it this week.',
    'On the list of the forestry crew for {hood}.',
    'Thank you. Urgent work comes first, this will take about {2-4} weeks.',
  ],
}

export const park: Phrases = {
  scenes: [
    {
      summaries: ['Playground swing broken in {park}', 'Slide cracked at {park}', 'Basketball hoop bent at {park}'],
      observations: ['It has been like this for {2-6} weeks.', 'There is a sharp edge at the height of a child.'],
      reasons: ['It is the only one within walking distance.', 'A child cut her hand on it.', 'Our team plays here on Thursdays.'],
      requests: ['Please repair it before summer.', 'Please take it away if it cannot be fixed.'],
      closingComments: ['Repaired and safe to use again.', 'Replaced with a new one.'],
    },
    {
      summaries: [
        'Bench broken at {park}',
        'Water fountain does not work in {park}',
        'Restroom locked at {park}',
        'Lights out on the path through {park}',
      ],
      observations: ['I have been there {3-5} days in a row now.', "Someone put tape around it, that's all."],
      reasons: ['Half of the neighborhood comes here on weekends.', 'Older people need it most.'],
      requests: ['Please fix it.', 'Who has the key?', 'We would help on a volunteer day.'],
      closingComments: ['Works again.', 'Repaired by the parks shop.'],
    },
    {
      summaries: [
        'Grass knee high in {park}',
        'Broken glass on the field at {park}',
        'Needles found in {park}',
        'Trash everywhere after the weekend, {park}',
      ],
      observations: ['Mostly around the benches.', 'It is worst at the end toward {street}.'],
      reasons: ['Dogs and small children run around there.', 'It is such a nice park otherwise.'],
      requests: ['Please clean it up.', 'Please send the crew more often in summer.'],
      closingComments: ['Mowed and cleaned up.', 'Staff swept the area and will check it daily.'],
    },
  ],
  acknowledgements: ['Parks staff will inspect it this week.', 'Thank you, added to the list for {park}.'],
}

export const water: Phrases = {
  scenes: [
    {
      summaries: [
        'Water running down {street}',
        'Water main break at {street} and {cross}',
        'Water leak from the sidewalk outside {near}',
        'Fire hydrant leaking on {street}',
      ],
      observations: [
        'Clear water runs along the curb to the corner.',
        'It has been running for {2-9} days.',
        'It comes up right through the asphalt.',
      ],
      reasons: ['It is washing out the road from below.', 'All that water is simply lost.', 'Our pressure has dropped.'],
      requests: ['Please shut it off.', 'Please find the leak before the road caves in.'],
      closingComments: ['The leak was repaired and the road will be paved next week.', 'Shut off and repaired.'],
    },
    {
      summaries: [
        'Storm drain clogged on {street}',
        'Street floods at {cross} after every rain',
        'Standing water on {street} for {3-9} days',
        'Catch basin full of leaves, {street}',
      ],
      observations: ['The drain is packed with leaves and bottles.', 'After half an hour of rain it is over the curb.'],
      reasons: ['Water gets into our basements.', 'Mosquitoes breed in it.', 'You cannot cross without wet feet.'],
      requests: ['Please clean out the drain before the next storm.', 'Please send the vacuum truck.'],
      closingComments: ['Drain cleaned out, water runs off again.', 'We took {200-900} pounds of leaves and trash out of it.'],
    },
    {
      summaries: ['Manhole cover missing on {street}', 'Loose manhole cover on {street}'],
      observations: ['Someone put a chair in the hole.', 'It bangs whenever a car drives over it.'],
      reasons: ['A bike would go straight in.', 'No one on the block can sleep.'],
      requests: ['Please make it safe today.'],
      closingComments: ['Cover replaced and fixed in place.'],
    },
    {
      summaries: ['Sewer smell on {street} near {cross}', 'Brown water in {hood}'],
      observations: ['It is worst in the morning.', 'It started {2-5} days ago.'],
      reasons: ['We keep all windows shut.', 'Is it safe to drink?'],
      requests: ['Please send someone to test it.'],
      closingComments: ['The line was flushed. Please tell us if it comes back.'],
    },
  ],
  acknowledgements: [
    'A crew will look at it today.',
    'Thank you, work order opened.',
    'It may be a private line, we are finding out.',
  ],
}

export const snow: Phrases = {
  scenes: [
    {
      summaries: ['{street} not plowed', 'Side street sheet of ice near {near}', 'Bike lane full of snow on {street}'],
      observations: [
        'It melted and froze again, now it is solid ice.',
        'Nothing has been done here since it snowed {2-4} days ago.',
      ],
      reasons: ['Cars slide through the stop sign.', 'The school bus did not come.'],
      requests: ['Please plow and salt.'],
      closingComments: ['Plowed and salted.', 'Melted by now, closing this report.'],
    },
    {
      summaries: ['Ice on the sidewalk of {street}', 'Bus stop buried in snow at {cross}', 'Curb ramps blocked by snow at {cross}'],
      observations: ['The plow left a wall of snow.', 'No one has shoveled.'],
      reasons: ['The mail carrier fell this morning.', 'My neighbor uses a walker and cannot leave the house.'],
      requests: ['Please clear it.', 'Please remind the owner to shovel.'],
      closingComments: ['Cleared by hand.', 'The owner has shoveled after our notice.'],
    },
  ],
  acknowledgements: ['Main routes come first, side streets follow within {24-48} hours.', 'On the list for tonight.'],
}
